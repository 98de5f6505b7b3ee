/** Waits `ms`, or until `signal` aborts; it never rejects. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;
