/** Texts under keys, put in as they come and taken out key by key, in bounded memory. */
export type Spool = {
  add(key: string, text: string): Promise<void>;
  /** The texts of a key, in the order in which they were put in. */
  read(key: string): AsyncIterable<string>;
  close(): Promise<void>;
};
