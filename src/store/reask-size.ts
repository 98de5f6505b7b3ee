/** A token of most texts is longer. */
const BYTES_PER_TOKEN = 3;
/** Bytes of the words around the answer and its errors, at most: no tokenizer makes more than one token of a byte. */
const REASK_WORDS = 250;

/** What a re-ask adds to the prompt that it mends: as we guess, and more than any tokenizer makes of it. */
export function reaskTokens(reask: string): { readonly tokens: number; readonly maxTokens: number } {
  const bytes = Buffer.byteLength(reask);
  return { tokens: Math.ceil(bytes / BYTES_PER_TOKEN), maxTokens: bytes + REASK_WORDS };
}
