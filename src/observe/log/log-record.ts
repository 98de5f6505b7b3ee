/** From the least to the most worth telling. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** One event of the log before it is written down. Without a word of a document, a prompt, an answer or a server. */
export type LogRecord = {
  readonly level: LogLevel;
  /** Stable name, for machines: `call.answered`. */
  readonly event: string;
  /** What is `null` is left out. */
  readonly fields: { readonly [name: string]: string | number | boolean | null };
};
