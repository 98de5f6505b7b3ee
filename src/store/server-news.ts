/** What becomes of the server that a store is on, while it is worked with. */
export type ServerNews =
  /** Its answers are waited for, for `patienceMs` in all. `what` is the matter with it, `why` what the last attempt met. */
  | { readonly kind: 'away'; readonly shown: string; readonly what: string; readonly why: string; readonly patienceMs: number }
  | { readonly kind: 'back'; readonly shown: string; readonly awayMs: number };

/** How long a process waits for its store's server, which may be restarted, or cut off, and comes back. */
export type ServerPatience = {
  /** Of one absence, from its first failure. */
  readonly patienceMs: number;
  /** Hears of an absence that lasts, and of its end. */
  readonly onServer: (news: ServerNews) => void;
};

/** By default no longer than a person watches a silent terminal. */
export const IN_SILENCE: ServerPatience = { patienceMs: 10_000, onServer: () => undefined };
