import { sha256Hex } from '../domain/canonical-json.ts';

const MARK_DIGITS = 12;

/**
 * `text` between two lines that hold a mark which neither it nor anything of `around` contains: nothing that comes from a document can
 * close the fence, or open another like it. The mark comes from the text's hash, not from chance, so that prompts stay equal and
 * providers can cache them.
 */
export function fenced(name: string, text: string, textSha256: string, around: readonly string[]): string {
  const tag = `${name}-${markOf(textSha256, [text, ...around])}`;
  return `<${tag}>\n${text}${text.endsWith('\n') ? '' : '\n'}</${tag}>`;
}

/** As much of the hash as none of the texts contains; beyond its end, of the hash's own hash, and so on. */
function markOf(textSha256: string, texts: readonly string[]): string {
  let digits = textSha256;
  let length = MARK_DIGITS;
  while (texts.some((text) => text.includes(digits.slice(0, length)))) {
    length += 1;
    if (length > digits.length) digits += sha256Hex(digits);
  }
  return digits.slice(0, length);
}
