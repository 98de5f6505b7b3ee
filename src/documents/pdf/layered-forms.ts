/**
 * Whether a form of the file may stand on a layer: PDFium does not say so, but the dictionary of a form is a stream's, which is never
 * compressed. Names may be written with `#43` for C.
 */
export function mayHoldLayeredForms(bytes: Uint8Array): boolean {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return SPELLINGS.some((spelling) => file.includes(spelling, 0, 'latin1'));
}

const SPELLINGS: readonly string[] = ['O', '#4f', '#4F'].flatMap((first) =>
  ['C', '#43'].flatMap((second) => endings(`/${first}${second}`)),
);

/** What may stand behind the name: space, a dictionary, a comment. */
function endings(name: string): readonly string[] {
  return [' ', '\t', '\n', '\r', '\f', '\0', '<', '%'].map((end) => name + end);
}
