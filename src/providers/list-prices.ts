import type { Price, PriceTier } from '../domain/money.ts';

/** A price with the day on which the vendor's list said so. */
export type ListPrice = Price & { readonly asOf: string };

type PriceList = { readonly [model: string]: ListPrice };

type Extra = { readonly write?: number; readonly above?: PriceTier };

/** USD per million tokens: input, input read from the cache, output. */
function usd(asOf: string, [input, cached, output]: readonly [number, number, number], { write, above }: Extra = {}): ListPrice {
  return {
    asOf,
    inputPerMTok: input,
    cachedInputPerMTok: cached,
    ...(write === undefined ? {} : { cacheWritePerMTok: write }),
    outputPerMTok: output,
    ...(above === undefined ? {} : { above: [above] }),
  };
}

function longer(inputTokens: number, [input, cached, output]: readonly [number, number, number], write?: number): PriceTier {
  return {
    inputTokens,
    inputPerMTok: input,
    cachedInputPerMTok: cached,
    ...(write === undefined ? {} : { cacheWritePerMTok: write }),
    outputPerMTok: output,
  };
}

const OPENAI: PriceList = {
  'gpt-4o': usd('2025-07-04', [2.5, 1.25, 10]),
  'gpt-4o-2024-05-13': usd('2025-07-04', [5, 5, 15]),
  'gpt-4o-mini': usd('2025-07-04', [0.15, 0.075, 0.6]),
  'gpt-4.1': usd('2025-07-04', [2, 0.5, 8]),
  'gpt-4.1-mini': usd('2025-07-04', [0.4, 0.1, 1.6]),
  'gpt-4.1-nano': usd('2025-07-04', [0.1, 0.025, 0.4]),
  o3: usd('2025-07-12', [2, 0.5, 8]),
  'o3-mini': usd('2025-07-04', [1.1, 0.55, 4.4]),
  'o4-mini': usd('2025-07-04', [1.1, 0.275, 4.4]),
  'gpt-5': usd('2025-11-13', [1.25, 0.125, 10]),
  'gpt-5-mini': usd('2025-11-13', [0.25, 0.025, 2]),
  'gpt-5-nano': usd('2025-11-13', [0.05, 0.005, 0.4]),
  'gpt-5-pro': usd('2025-11-13', [15, 15, 120]),
  'gpt-5.1': usd('2025-11-13', [1.25, 0.125, 10]),
  'gpt-5.2': usd('2025-12-11', [1.75, 0.175, 14]),
  'gpt-5.2-pro': usd('2025-12-11', [21, 21, 168]),
  'gpt-5.4': usd('2026-03-06', [2.5, 0.25, 15], { above: longer(272_000, [5, 0.5, 22.5]) }),
  'gpt-5.4-mini': usd('2026-03-18', [0.75, 0.075, 4.5]),
  'gpt-5.4-nano': usd('2026-03-18', [0.2, 0.02, 1.25]),
  'gpt-5.4-pro': usd('2026-03-06', [30, 30, 180], { above: longer(272_000, [60, 60, 270]) }),
  'gpt-5.5': usd('2026-04-24', [5, 0.5, 30], { above: longer(272_000, [10, 1, 45]) }),
  'gpt-5.5-pro': usd('2026-04-24', [30, 30, 180], { above: longer(272_000, [60, 60, 270]) }),
  'gpt-5.6-luna': usd('2026-08-02', [0.2, 0.02, 1.2], { write: 0.25, above: longer(272_000, [0.4, 0.04, 1.8], 0.5) }),
  'gpt-5.6-terra': usd('2026-08-02', [2, 0.2, 12], { write: 2.5, above: longer(272_000, [4, 0.4, 18], 5) }),
  'gpt-5.6-sol': usd('2026-08-02', [5, 0.5, 30], { write: 6.25, above: longer(272_000, [10, 1, 45], 12.5) }),
};

const ANTHROPIC: PriceList = {
  'claude-haiku-4-5': usd('2026-07-29', [1, 0.1, 5], { write: 1.25 }),
  'claude-sonnet-4': usd('2026-07-29', [3, 0.3, 15], { write: 3.75, above: longer(200_000, [6, 0.6, 22.5], 7.5) }),
  'claude-sonnet-4-5': usd('2026-07-29', [3, 0.3, 15], { write: 3.75, above: longer(200_000, [6, 0.6, 22.5], 7.5) }),
  'claude-sonnet-4-6': usd('2026-07-29', [3, 0.3, 15], { write: 3.75 }),
  'claude-sonnet-5': usd('2026-07-29', [3, 0.3, 15], { write: 3.75 }),
  'claude-opus-4': usd('2026-07-29', [15, 1.5, 75], { write: 18.75 }),
  'claude-opus-4-1': usd('2026-07-29', [15, 1.5, 75], { write: 18.75 }),
  'claude-opus-4-5': usd('2026-07-29', [5, 0.5, 25], { write: 6.25 }),
  'claude-opus-4-6': usd('2026-07-29', [5, 0.5, 25], { write: 6.25 }),
  'claude-opus-4-7': usd('2026-07-29', [5, 0.5, 25], { write: 6.25 }),
  'claude-opus-4-8': usd('2026-07-29', [5, 0.5, 25], { write: 6.25 }),
  'claude-opus-5': usd('2026-07-29', [5, 0.5, 25], { write: 6.25 }),
  'claude-fable-5': usd('2026-07-29', [10, 1, 50], { write: 12.5 }),
};

const GOOGLE: PriceList = {
  'gemini-2.0-flash': usd('2025-07-04', [0.1, 0.025, 0.4]),
  'gemini-2.0-flash-lite': usd('2025-07-04', [0.075, 0.075, 0.3]),
  'gemini-2.5-flash': usd('2025-10-31', [0.3, 0.03, 2.5]),
  'gemini-2.5-flash-lite': usd('2025-10-31', [0.1, 0.01, 0.4]),
  'gemini-2.5-pro': usd('2025-10-31', [1.25, 0.125, 10], { above: longer(200_000, [2.5, 0.25, 15]) }),
  'gemini-3-flash-preview': usd('2025-12-19', [0.5, 0.05, 3]),
  'gemini-3-pro-preview': usd('2025-11-18', [2, 0.2, 12], { above: longer(200_000, [4, 0.4, 18]) }),
  'gemini-3.1-pro-preview': usd('2026-02-23', [2, 0.2, 12], { above: longer(200_000, [4, 0.4, 18]) }),
  'gemini-3.1-flash-lite': usd('2026-05-12', [0.25, 0.025, 1.5]),
  'gemini-3.5-flash': usd('2026-05-19', [1.5, 0.15, 9]),
  'gemini-3.5-flash-lite': usd('2026-07-22', [0.3, 0.03, 2.5]),
  // Half of it until the end of 2026: a bound must hold beyond that day.
  'gemini-3.6-flash': usd('2026-08-13', [1.5, 0.15, 7.5]),
};

const XAI: PriceList = {
  'grok-3': usd('2025-07-12', [3, 0.75, 15]),
  'grok-3-mini': usd('2025-07-12', [0.3, 0.075, 0.5]),
  'grok-4-0709': usd('2025-07-12', [3, 0.75, 15], { above: longer(128_000, [6, 0.75, 30]) }),
  'grok-4-fast-reasoning': usd('2026-01-19', [0.2, 0.05, 0.5], { above: longer(128_000, [0.4, 0.05, 1]) }),
  'grok-4-fast-non-reasoning': usd('2026-01-19', [0.2, 0.05, 0.5], { above: longer(128_000, [0.4, 0.05, 1]) }),
  'grok-4.3': usd('2026-05-12', [1.25, 0.2, 2.5], { above: longer(200_000, [2.5, 0.4, 5]) }),
  'grok-4.5': usd('2026-07-08', [2, 0.5, 6], { above: longer(200_000, [4, 0.6, 12]) }),
};

const DEEPSEEK: PriceList = {
  'deepseek-v4-flash': usd('2026-05-12', [0.14, 0.028, 0.28]),
};

const MISTRAL: PriceList = {
  'mistral-large-2512': usd('2026-06-09', [0.5, 0.05, 1.5]),
  'mistral-medium-2505': usd('2025-08-12', [0.4, 0.4, 2]),
  'mistral-small-2603': usd('2026-06-09', [0.15, 0.015, 0.6]),
  'ministral-14b-2512': usd('2026-06-09', [0.2, 0.02, 0.2]),
  'ministral-3b-2512': usd('2026-06-09', [0.1, 0.01, 0.1]),
  'codestral-2508': usd('2026-06-09', [0.3, 0.03, 0.9]),
  'devstral-2512': usd('2026-06-09', [0.4, 0.04, 2]),
};

const GROQ: PriceList = {
  'llama-3.1-8b-instant': usd('2025-08-12', [0.05, 0.05, 0.08]),
  'llama-3.3-70b-versatile': usd('2025-08-12', [0.59, 0.59, 0.79]),
  'meta-llama/llama-4-maverick-17b-128e-instruct': usd('2025-08-12', [0.2, 0.2, 0.6]),
  'meta-llama/llama-4-scout-17b-16e-instruct': usd('2025-08-12', [0.11, 0.11, 0.34]),
  'openai/gpt-oss-120b': usd('2025-08-06', [0.15, 0.075, 0.6]),
  'openai/gpt-oss-20b': usd('2025-08-06', [0.075, 0.0375, 0.3]),
  'qwen/qwen3-32b': usd('2025-08-12', [0.29, 0.29, 0.59]),
};

/**
 * Vendor's own host → what its models cost there, standard tier. There are rows only for what collections of
 * vendors' prices agree on, the dearer where they differ in a detail, and never for names that move to another model, such as `…-latest`.
 */
export const LIST_PRICES: { readonly [host: string]: PriceList } = {
  'api.openai.com': OPENAI,
  'api.anthropic.com': ANTHROPIC,
  'generativelanguage.googleapis.com': GOOGLE,
  'api.x.ai': XAI,
  'api.deepseek.com': DEEPSEEK,
  'api.mistral.ai': MISTRAL,
  'api.groq.com': GROQ,
};
