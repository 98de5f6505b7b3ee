import { canonicalJson, sha256Hex } from '../domain/canonical-json.ts';

/**
 * Raised whenever the same bytes may give another text, other positions or other warnings than before: texts kept under older numbers
 * are not asked for again.
 */
export const EXTRACTION_VERSION = 1;

/** All that decides what a file's bytes give. */
export type ExtractionInput = {
  readonly bytesSha256: string;
  /** Of it only the extensions count. */
  readonly name: string;
  readonly format: string | null;
  readonly charset: string | null;
  readonly password: string | null;
};

/** Name of what the bytes give when they are read in this way: the same text whenever and wherever the key is the same. */
export function extractionKey({ bytesSha256, name, format, charset, password }: ExtractionInput): string {
  const parts = {
    version: EXTRACTION_VERSION,
    bytesSha256,
    extensions: extensionsOf(name),
    format,
    charset: charset?.toLowerCase() ?? null,
    passwordSha256: password === null ? null : sha256Hex(password),
  };
  return sha256Hex(canonicalJson(parts));
}

/** Two, because of `spec.txt.gz`. */
function extensionsOf(name: string): string {
  return /(?:\.[^./\\]*){1,2}$/.exec(name)?.[0].toLowerCase() ?? '';
}
