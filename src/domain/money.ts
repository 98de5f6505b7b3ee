/** Tokens of one call in disjoint units: their sum is all that a provider bills. `reasoning` is a part of `output`. */
export type Usage = {
  readonly uncachedInput: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
  readonly reasoning: number;
};

/** USD per million tokens; what is absent costs as much as uncached input. */
export type UnitPrices = {
  readonly inputPerMTok: number;
  readonly cachedInputPerMTok?: number | undefined;
  readonly cacheWritePerMTok?: number | undefined;
  readonly outputPerMTok: number;
};

/** What a model costs, as a manifest or a price list states it. */
export type Price = UnitPrices & {
  /** Prices of requests with more input than `inputTokens`: they hold for all tokens of such a request. In any order. */
  readonly above?: readonly PriceTier[] | undefined;
  /** Day on which it was looked up. */
  readonly asOf?: string | undefined;
  /** From aieval's own price list, not from the manifest. */
  readonly listed?: true | undefined;
};

export type PriceTier = UnitPrices & { readonly inputTokens: number };

const NANO_PER_USD = 1e9;
const PICO_PER_USD_PER_MTOK = 1e6;
const PICO_PER_NANO = 1000n;

/** No call costs so much ($10,000): sums of such costs still fit a 64-bit integer for 900,000 calls. */
const MOST_NANO_USD = 1e13;

/** The amount, but none that no call can cost, and none below 0: a server may say anything. */
export function cappedNanoUsd(nanoUsd: number): number {
  return Math.min(MOST_NANO_USD, Math.max(0, nanoUsd));
}

/** No call uses so many of one kind. */
const MOST_TOKENS = 1e12;

/** The counts whole, none below 0, and none that cannot be; `null` where one is no number, which is not 0. */
export function boundedUsage(usage: Usage | null): Usage | null {
  if (usage === null) return null;
  const { uncachedInput, cacheRead, cacheWrite, output, reasoning } = usage;
  if (![uncachedInput, cacheRead, cacheWrite, output, reasoning].every(isCount)) return null;
  return {
    uncachedInput: boundedTokens(uncachedInput),
    cacheRead: boundedTokens(cacheRead),
    cacheWrite: boundedTokens(cacheWrite),
    output: boundedTokens(output),
    reasoning: boundedTokens(reasoning),
  };
}

/** JSON has no infinity: a stored one comes back as `null`. */
function isCount(tokens: unknown): boolean {
  return typeof tokens === 'number' && !Number.isNaN(tokens);
}

function boundedTokens(tokens: number): number {
  return Math.min(MOST_TOKENS, Math.max(0, Math.trunc(tokens)));
}

/**
 * Cost of one call in nano-USD, rounded up once: one token at 1 USD per million costs 1e6 pico-USD, so the sum is exact in
 * integers before the one rounding. `null` when the price is unknown; 0 when the model is declared free.
 */
export function costNanoUsd(usage: Usage, price: Price | 'free' | null): number | null {
  if (price === null) return null;
  if (price === 'free') return 0;
  return nanoUsd(usage, pricesAt(price, usage.uncachedInput + usage.cacheRead + usage.cacheWrite));
}

/** The prices of a request with that much input: of the highest tier that it exceeds. */
function pricesAt(price: Price, inputTokens: number): UnitPrices {
  const [highest] = reached(price, inputTokens);
  return highest ?? price;
}

/** The tiers that a request of that much input exceeds, the highest first. */
function reached({ above = [] }: Price, inputTokens: number): PriceTier[] {
  return above.filter((tier) => inputTokens > tier.inputTokens).sort((one, other) => other.inputTokens - one.inputTokens);
}

function nanoUsd(usage: Usage, prices: UnitPrices): number {
  const pico =
    units(usage.uncachedInput, prices.inputPerMTok) +
    units(usage.cacheRead, prices.cachedInputPerMTok ?? prices.inputPerMTok) +
    units(usage.cacheWrite, prices.cacheWritePerMTok ?? prices.inputPerMTok) +
    units(usage.output, prices.outputPerMTok);
  return cappedNanoUsd(Number((pico + PICO_PER_NANO - 1n) / PICO_PER_NANO));
}

/** Assumed of an answer whose model states no `maxOutputTokens`. */
export const ASSUMED_OUTPUT_TOKENS = 1024;

/** What bounds the cost of a model's calls; `maxOutputTokens` is `null` where the manifest names no bound. */
export type ModelRate = { readonly price: Price | 'free' | null; readonly maxOutputTokens: number | null };

/** Of a model that the settings do not name. */
export const UNKNOWN_RATE: ModelRate = { price: null, maxOutputTokens: null };

/**
 * The most that one call can cost in nano-USD: all input at its dearest rate, output up to its bound, and both at the dearest of the
 * tiers that the input may reach. `maxInputTokens` errs upwards. `null` when price or bound is unknown.
 */
export function worstCostNanoUsd(rate: ModelRate | undefined, maxInputTokens: number): number | null {
  if (rate?.price === 'free') return 0;
  if (rate === undefined || rate.price === null || rate.maxOutputTokens === null) return null;
  const usage = { uncachedInput: maxInputTokens, cacheRead: 0, cacheWrite: 0, output: rate.maxOutputTokens, reasoning: 0 };
  return Math.max(...[rate.price, ...reached(rate.price, maxInputTokens)].map((prices) => nanoUsd(usage, dearest(prices))));
}

/** All input at the dearest of its rates. */
function dearest({ inputPerMTok, cachedInputPerMTok = 0, cacheWritePerMTok = 0, outputPerMTok }: UnitPrices): UnitPrices {
  return { inputPerMTok: Math.max(inputPerMTok, cachedInputPerMTok, cacheWritePerMTok), outputPerMTok };
}

function units(tokens: number, usdPerMTok: number): bigint {
  return BigInt(boundedTokens(tokens)) * BigInt(Math.min(Number.MAX_SAFE_INTEGER, Math.round(usdPerMTok * PICO_PER_USD_PER_MTOK)));
}

/** nano-USD as a decimal number of USD. */
export function usdOf(nanoUsd: number): number {
  return nanoUsd / NANO_PER_USD;
}

/** USD as nano-USD, to the nearest. */
export function nanoUsdOf(usd: number): number {
  return Math.round(usd * NANO_PER_USD);
}
