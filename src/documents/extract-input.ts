/** A file's bytes and what is known of them. */
export type ExtractInput = {
  readonly bytes: Uint8Array;
  /** Name with extension: the last hint, after the content itself. */
  readonly name: string;
  /** Stated by the manifest; decides when set. */
  readonly format: string | null;
  /** WHATWG encoding label stated by the manifest. */
  readonly charset: string | null;
  readonly password: string | null;
};
