import type { Usage } from '../domain/money.ts';
import { isRecord, recordAt } from './json-shape.ts';

/**
 * An OpenAI-shaped `usage` in disjoint units, none below 0. Cached and cache-written tokens are parts of `prompt_tokens`,
 * reasoning is a part of the output. `null` when there are no counts to read.
 *
 * Some servers leave reasoning out of `completion_tokens` and bill it: then `total_tokens` is larger than the sum, and the
 * difference is output.
 */
export function usageOf(raw: unknown): Usage | null {
  if (!isRecord(raw) || !(isCount(raw.prompt_tokens) || isCount(raw.completion_tokens))) return null;
  const prompt = count(raw.prompt_tokens);
  const details = recordAt(raw, 'prompt_tokens_details');
  const cacheRead = Math.min(prompt, count(details.cached_tokens ?? raw.prompt_cache_hit_tokens));
  const cacheWrite = Math.min(prompt - cacheRead, count(details.cache_write_tokens));
  const output = Math.max(count(raw.completion_tokens), count(raw.total_tokens) - prompt);
  const reasoning = Math.min(output, count(recordAt(raw, 'completion_tokens_details').reasoning_tokens));
  return { uncachedInput: prompt - cacheRead - cacheWrite, cacheRead, cacheWrite, output, reasoning };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function count(value: unknown): number {
  return isCount(value) ? Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.trunc(value))) : 0;
}
