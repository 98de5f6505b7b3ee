import type { CanonicalText, DocumentFormat, Span } from '../../domain/document.ts';

/** How far from a span the beginning or end of what withdraws it is looked for. */
const REACH = 1_000;
const STRUCK_OUT = 'struck out';
const COMMENTED_OUT = 'in a comment';

type Withdrawal = { readonly pattern: RegExp; readonly says: string };
const COMMENT_OF_HTML: Withdrawal = { pattern: /<!--(?:(?!-->)[\s\S]){0,1000}-->/g, says: COMMENTED_OUT };
/** What a reader of the finished page sees crossed out, or not at all. */
const WITHDRAWALS: Readonly<Partial<Record<DocumentFormat, readonly Withdrawal[]>>> = {
  markdown: [
    { pattern: /(?<![~\\])~~(?=[^\s~])(?:[^~\n]|\n(?!\s*\n)){1,1000}~~(?!~)/g, says: STRUCK_OUT },
    { pattern: /<(del|s|strike)>(?:(?!<\/\1>)[\s\S]){0,1000}<\/\1>/gi, says: STRUCK_OUT },
    COMMENT_OF_HTML,
  ],
  latex: [
    { pattern: /(?<!\\)%[^\n]*/g, says: COMMENTED_OUT },
    { pattern: /\\begin\{comment\}(?:(?!\\end\{comment\})[\s\S]){0,1000}\\end\{comment\}/g, says: COMMENTED_OUT },
    { pattern: /\\(?:sout|st|xout|cancel)\{[^{}]{0,1000}\}/g, says: STRUCK_OUT },
  ],
  asciidoc: [
    { pattern: /^\/\/(?!\/)[^\n]*/gm, says: COMMENTED_OUT },
    { pattern: /^\/{4,}\n(?:(?!\n\/{4})[\s\S]){0,1000}\n\/{4,}$/gm, says: COMMENTED_OUT },
    { pattern: /\[\.?line-through\]#[^#]{0,1000}#/g, says: STRUCK_OUT },
  ],
};

/**
 * How the document withdraws words of this span: "struck out", "in a comment"; `null` when it does not. A quote that has the
 * mark of the comment, or literally all of the struck-out words with their marks, says so itself.
 */
export function withdrawnAt({ format, text }: CanonicalText, { start, end }: Span, isLiteral: boolean): string | null {
  const withdrawals = WITHDRAWALS[format] ?? [];
  if (withdrawals.length === 0) return null;
  const from = text.lastIndexOf('\n', Math.max(0, start - REACH)) + 1;
  const around = text.slice(from, end + REACH);
  for (const { pattern, says } of withdrawals) {
    for (const { index, 0: words } of around.matchAll(pattern)) {
      const [first, last] = [from + index, from + index + words.length];
      const isShown = start <= first && (says === COMMENTED_OUT || (isLiteral && end >= last));
      if (first < end && last > start && !isShown) return says;
    }
  }
  return null;
}
