import type { Completion, CompletionRequest } from '../domain/completion.ts';

/** Hears of a call while it is made. Each is called at most once, also before a failure is thrown. */
export type CallListener = {
  /** The response began, whatever its status. `header` takes a lower-case name. */
  onHeaders(header: (name: string) => string | null): void;
  /** The first piece of the answer is here. */
  onFirstToken(): void;
};

/** A model that an endpoint offers. */
export type OfferedModel = {
  readonly name: string;
  /** How many tokens prompt and answer may have together; `null`: the endpoint does not say. */
  readonly contextTokens: number | null;
};

/** An endpoint that answers. Own retries are forbidden: one `complete` is at most one request. */
export interface Provider {
  /**
   * Sends one request and waits for its whole answer. Throws `ProviderError`, already classified, for everything that goes wrong
   * outside this program; aborting `signal` ends the request at once with a `ProviderError` of reason `cancelled`.
   */
  complete(request: CompletionRequest, signal: AbortSignal, listener?: CallListener): Promise<Completion>;
  /**
   * Asks once, before anything is spent, whether the endpoint is there and takes the key. Returns the models it offers, or
   * `null` when it does not say. Throws `ProviderError` when it refuses the key or cannot be reached.
   */
  preflight(signal: AbortSignal): Promise<readonly OfferedModel[] | null>;
  close(): Promise<void>;
}
