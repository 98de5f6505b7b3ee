/** A call that was sent and whose outcome nobody knows. */
export type UnknownCall = {
  readonly callToken: string;
  readonly model: string;
  readonly worstNanoUsd: number | null;
  readonly worstTokens: number | null;
};

/** What a call is taken to have cost and used; `null`: nobody can tell. */
export type Taken = { readonly nanoUsd: number | null; readonly tokens: number | null };

/** What came of an estimate of several calls. */
export type Estimated = { readonly calls: number; readonly nanoUsd: number; readonly atWorst: number; readonly unpriced: number };

/** No more than the most that it can be, and that where nothing better is known. */
export function atMost({ nanoUsd, tokens }: Taken, { worstNanoUsd, worstTokens }: UnknownCall): Taken {
  return { nanoUsd: lesser(nanoUsd, worstNanoUsd), tokens: lesser(tokens, worstTokens) };
}

function lesser(taken: number | null, worst: number | null): number | null {
  return taken === null || worst === null ? (taken ?? worst) : Math.min(taken, worst);
}
