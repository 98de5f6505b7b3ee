/** A stretch of text, or a label that stands for characters nobody could see. */
export type TextPart = { readonly text: string; readonly label: boolean };

/**
 * Controls, bidirectional marks, zero-width and tag characters, lone surrogates, stacks of marks or letters that no line can break. Tab and line feed stay; so do
 * joiners after a letter that is not ASCII, which emoji and several scripts need.
 */
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  /[\u{e0000}-\u{e007f}]+|\p{M}{9,}|[\u1100-\u115f]{9,}|(?:([\0-\x08\v\f\x0e-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\r(?!\n)|\p{Cs})\1*)|(?<![^\0-\x7f])[\u200c\u200d]+/gu;

const TAG_BASE = 0xe0000;

/** The text with labels in place of what is unseen, so that hostile text neither hides nor reorders anything. Linear. */
export function visibleParts(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let from = 0;
  for (const match of text.matchAll(UNSEEN)) {
    if (match.index > from) parts.push({ text: text.slice(from, match.index), label: false });
    parts.push({ text: labelOf(match[0]), label: true });
    from = match.index + match[0].length;
  }
  if (from < text.length) parts.push({ text: text.slice(from), label: false });
  return parts;
}

/** The same in a string: labels stand in ⟨angle brackets⟩. */
export function visibleString(text: string): string {
  return visibleParts(text)
    .map((part) => (part.label ? `⟨${part.text}⟩` : part.text))
    .join('');
}

function labelOf(run: string): string {
  const first = run.codePointAt(0) ?? 0;
  const count = first > 0xffff ? run.length / 2 : run.length;
  if (first >= TAG_BASE && first <= TAG_BASE + 0x7f) return `hidden: ${tagText(run)}`;
  if (/^\p{M}/u.test(run)) return `${[...run].length} combining marks`;
  if (first >= 0x1100 && first <= 0x115f) return `${count} joined letters`;
  return `U+${first.toString(16).toUpperCase().padStart(4, '0')}${count > 1 ? ` ×${count}` : ''}`;
}

/** What the tag characters say to a model that reads them. */
function tagText(run: string): string {
  return [...run].map((tag) => String.fromCodePoint(Math.max(0x20, (tag.codePointAt(0) ?? TAG_BASE) - TAG_BASE))).join('');
}
