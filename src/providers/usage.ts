import type { Usage } from '../domain/money.ts';
import { isRecord, type JsonRecord, recordAt } from './json-shape.ts';

/**
 * A server's `usage` in disjoint units, none below 0: their sum is what it bills. `null` when there are no counts to read, or none that
 * could be true. Vendors differ in what their input count holds; a cached token is never counted twice.
 */
export function usageOf(raw: unknown): Usage | null {
  const usage = isRecord(raw) ? statedUsage(raw) : null;
  return usage !== null && isPossible(usage) ? usage : null;
}

/** The same of an answer: words took tokens in and out, so counts that lack either say nothing of what is billed. */
export function usageOfAnswer(raw: unknown, content: string): Usage | null {
  const usage = usageOf(raw);
  if (usage === null || content === '') return usage;
  const input = usage.uncachedInput + usage.cacheRead + usage.cacheWrite;
  return input > 0 && usage.output > 0 ? usage : null;
}

/** Of one call: ten times more would still fit into no model, and any amount that is added up stays exact. */
export const MOST_TOKENS = 1e9;

function isPossible({ uncachedInput, cacheRead, cacheWrite, output }: Usage): boolean {
  return uncachedInput + cacheRead + cacheWrite + output <= MOST_TOKENS;
}

function statedUsage(raw: JsonRecord): Usage | null {
  if (isCount(raw.prompt_tokens) || isCount(raw.completion_tokens)) return chatUsage(raw);
  if (isCount(raw.promptTokenCount) || isCount(raw.candidatesTokenCount)) return googleUsage(raw);
  if (!isCount(raw.input_tokens) && !isCount(raw.output_tokens)) return null;
  return raw.cache_read_input_tokens === undefined && raw.cache_creation_input_tokens === undefined
    ? responsesUsage(raw)
    : anthropicUsage(raw);
}

/**
 * In USD, where a provider says what a call cost (`usage.cost`). Paid with the user's own key at the upstream, that is only the
 * provider's fee, and the upstream's price comes on top. `null` when it says nothing, or nothing that could be true.
 */
export function reportedCostUsd(raw: unknown): number | null {
  if (!isRecord(raw) || !isAmount(raw.cost)) return null;
  const upstream = recordAt(raw, 'cost_details').upstream_inference_cost;
  const cost = raw.is_byok !== false && isAmount(upstream) ? raw.cost + upstream : raw.cost;
  return cost <= MOST_USD ? cost : null;
}

/** Of one call. */
const MOST_USD = 10_000;

/** All counts of one answer as its server states them. */
type Counts = {
  readonly input: number;
  /** Parts of `input`. */
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
  readonly reasoning: number;
  /** `null` when it is not stated. */
  readonly total: number | null;
};

/** OpenAI, and all that copy it: cached and cache-written tokens are parts of the prompt. */
function chatUsage(raw: JsonRecord): Usage {
  const prompt = recordAt(raw, 'prompt_tokens_details');
  const cacheRead = count(prompt.cached_tokens ?? raw.prompt_cache_hit_tokens ?? raw.cache_read_input_tokens ?? raw.cached_tokens);
  const cacheWrite = count(prompt.cache_write_tokens ?? raw.cache_creation_input_tokens);
  const output = count(raw.completion_tokens);
  const { prompt_tokens: input, total_tokens: total } = raw;
  const beside = isBeside({ input: count(input), cached: cacheRead + cacheWrite, output, total: optional(total) }, raw);
  return disjoint({
    input: count(input) + (beside ? cacheRead + cacheWrite : 0),
    cacheRead,
    cacheWrite,
    output,
    reasoning: count(recordAt(raw, 'completion_tokens_details').reasoning_tokens),
    total: optional(total),
  });
}

/**
 * Proxies before Anthropic hand its cache counts on; most add them to the prompt, as OpenAI does, some leave them beside it. The total
 * tells, or a prompt that is smaller than its parts.
 */
function isBeside(
  { input, cached, output, total }: { input: number; cached: number; output: number; total: number | null },
  raw: JsonRecord,
): boolean {
  if (!isCount(raw.cache_read_input_tokens) && !isCount(raw.cache_creation_input_tokens)) return false;
  return total === null ? cached > input : total === input + cached + output;
}

/** OpenAI's Responses API. */
function responsesUsage(raw: JsonRecord): Usage {
  const input = recordAt(raw, 'input_tokens_details');
  return disjoint({
    input: count(raw.input_tokens),
    cacheRead: count(input.cached_tokens),
    cacheWrite: count(input.cache_write_tokens),
    output: count(raw.output_tokens),
    reasoning: count(recordAt(raw, 'output_tokens_details').reasoning_tokens),
    total: optional(raw.total_tokens),
  });
}

/** Anthropic counts what it reads from and writes to its cache beside the input. */
function anthropicUsage(raw: JsonRecord): Usage {
  const cacheRead = count(raw.cache_read_input_tokens);
  const cacheWrite = count(raw.cache_creation_input_tokens);
  const input = count(raw.input_tokens) + cacheRead + cacheWrite;
  return disjoint({ input, cacheRead, cacheWrite, output: count(raw.output_tokens), reasoning: 0, total: null });
}

/** Google counts thoughts beside the answer, and what tools brought in beside the prompt. */
function googleUsage(raw: JsonRecord): Usage {
  const reasoning = count(raw.thoughtsTokenCount);
  return disjoint({
    input: count(raw.promptTokenCount) + count(raw.toolUsePromptTokenCount),
    cacheRead: count(raw.cachedContentTokenCount),
    cacheWrite: 0,
    output: count(raw.candidatesTokenCount) + reasoning,
    reasoning,
    total: optional(raw.totalTokenCount),
  });
}

/**
 * Some servers leave reasoning out of the output and bill it: then the total is larger than the sum, or, without a total, the
 * reasoning larger than the output it should be a part of.
 */
function disjoint({ input, cacheRead, cacheWrite, output, reasoning, total }: Counts): Usage {
  const beside = total === null && reasoning > output ? reasoning : 0;
  const billedOutput = Math.max(output + beside, (total ?? 0) - input);
  const read = Math.min(input, cacheRead);
  const written = Math.min(input - read, cacheWrite);
  return {
    uncachedInput: input - read - written,
    cacheRead: read,
    cacheWrite: written,
    output: billedOutput,
    reasoning: Math.min(billedOutput, reasoning),
  };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function isAmount(value: unknown): value is number {
  return isCount(value) && value >= 0;
}

function optional(value: unknown): number | null {
  return isCount(value) ? count(value) : null;
}

function count(value: unknown): number {
  return isCount(value) ? Math.max(0, Math.trunc(value)) : 0;
}
