/** Where the end mark of a whole file stands, counted from the end (Acrobat's rule). */
const END_MARK_WITHIN = 1024;

/** Whether a PDF ends as a whole file does. Without, it was cut short: its last pages, or its last revision, may be missing. */
export function hasEndMark(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(-END_MARK_WITHIN)).toString('latin1').includes('%%EOF');
}
