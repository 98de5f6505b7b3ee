import type { RefusedParam } from './refused-param.ts';

/** What the rows decide on. */
export type ErrorFacts = {
  /** HTTP status; for an error inside a 200, the status that the body names. */
  readonly status: number | null;
  /** Vendor codes and types in lower case. */
  readonly codes: readonly string[];
  readonly param: string | null;
  /** Names of quotas that are used up, in lower case. */
  readonly quotas: readonly string[];
  /** The body's message in lower case. */
  readonly text: string;
  readonly html: boolean;
  /** Whether the request asked for a form by `response_format`. */
  readonly structured: boolean;
  /** The parameter that is blamed, of those that were sent. */
  readonly refused: RefusedParam | null;
};
