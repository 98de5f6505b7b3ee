import { oneLine } from '../domain/hostile-text.ts';

/**
 * Untrusted text as a Markdown code span: the only form in which text of a document, a model or a server stands in a summary.
 * Inside it nothing is a tag, link, image, mention, reference or entity. The fence is longer than any run of backticks within.
 */
export function codeSpan(text: string, maxGraphemes = 160): string {
  const content = oneLine(text, maxGraphemes) || '(empty)';
  const longest = Math.max(0, ...[...content.matchAll(/`+/g)].map((run) => run[0].length));
  const fence = '`'.repeat(longest + 1);
  const pad = longest > 0 ? ' ' : '';
  return `${fence}${pad}${content}${pad}${fence}`;
}

/** The same for a table cell. Escaping is not enough there: `\|` after a backslash of the text's own would split the cell. */
export function codeCell(text: string): string {
  return codeSpan(oneLine(text).replaceAll('|', '¦').replaceAll('\\', '⧵'));
}
