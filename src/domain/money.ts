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

function units(tokens: number, usdPerMTok: number): bigint {
  return BigInt(Math.max(0, Math.trunc(tokens))) * BigInt(Math.round(usdPerMTok * PICO_PER_USD_PER_MTOK));
}

/** nano-USD as a decimal number of USD. */
export function usdOf(nanoUsd: number): number {
  return nanoUsd / 1e9;
}
