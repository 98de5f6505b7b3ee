/** Tokens of one call in disjoint units: their sum is all that a provider bills. `reasoning` is a part of `output`. */
export type Usage = {
  readonly uncachedInput: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
  readonly reasoning: number;
};

/** USD per million tokens, as a manifest states them. */
export type Price = {
  readonly inputPerMTok: number;
  readonly cachedInputPerMTok?: number | undefined;
  readonly cacheWritePerMTok?: number | undefined;
  readonly outputPerMTok: number;
  readonly asOf?: string | undefined;
};

const PICO_PER_USD_PER_MTOK = 1e6;
const PICO_PER_NANO = 1000n;

/**
 * Cost of one call in nano-USD, rounded up once: one token at 1 USD per million costs 1e6 pico-USD, so the sum is exact in
 * integers before the one rounding. `null` when the price is unknown; 0 when the model is declared free.
 */
export function costNanoUsd(usage: Usage, price: Price | 'free' | null): number | null {
  if (price === null) return null;
  if (price === 'free') return 0;
  const pico =
    units(usage.uncachedInput, price.inputPerMTok) +
    units(usage.cacheRead, price.cachedInputPerMTok ?? price.inputPerMTok) +
    units(usage.cacheWrite, price.cacheWritePerMTok ?? price.inputPerMTok) +
    units(usage.output, price.outputPerMTok);
  return Number((pico + PICO_PER_NANO - 1n) / PICO_PER_NANO);
}

/** What bounds the cost of a model's calls; `maxOutputTokens` is `null` where the manifest names no bound. */
export type ModelRate = { readonly price: Price | 'free' | null; readonly maxOutputTokens: number | null };

/**
 * The most that one call can cost in nano-USD: all input at its dearest rate, and output up to its bound. `inputTokens` is an
 * estimate that errs upwards. `null` when price or bound is unknown.
 */
export function worstCostNanoUsd(rate: ModelRate | undefined, inputTokens: number): number | null {
  if (rate?.price === 'free') return 0;
  if (rate === undefined || rate.price === null || rate.maxOutputTokens === null) return null;
  const { inputPerMTok, cachedInputPerMTok = 0, cacheWritePerMTok = 0, outputPerMTok } = rate.price;
  const dearest = Math.max(inputPerMTok, cachedInputPerMTok, cacheWritePerMTok);
  const usage = { uncachedInput: inputTokens, cacheRead: 0, cacheWrite: 0, output: rate.maxOutputTokens, reasoning: 0 };
  return costNanoUsd(usage, { inputPerMTok: dearest, outputPerMTok });
}

function units(tokens: number, usdPerMTok: number): bigint {
  return BigInt(Math.max(0, Math.trunc(tokens))) * BigInt(Math.round(usdPerMTok * PICO_PER_USD_PER_MTOK));
}

/** nano-USD as a decimal number of USD. */
export function usdOf(nanoUsd: number): number {
  return nanoUsd / 1e9;
}
