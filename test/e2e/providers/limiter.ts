import { apiError, type Scenario } from '../../providers/scripted-server.ts';

/** The part of a request that a limit counts. */
type Load = { readonly inputTokens: number; readonly maxOutputTokens: number };

export type Limiter = {
  /** The refusal of a request that comes too early; `null` takes it. */
  readonly take: (load: Load, inFlight: number) => Scenario | null;
  /** What an answer's headers tell of the limits at this moment. */
  readonly headers: () => Record<string, string>;
};

export type Limits = {
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
  readonly concurrency?: number;
  /** Seconds of the rate that may come at once; 1 unless said. */
  readonly burstSeconds?: number;
  /** Whether refusals say how long to wait. */
  readonly retryAfter?: boolean;
};

/**
 * As strict as a provider: requests and tokens, input and the most that may be answered, are counted at arrival in buckets that hold
 * one second's worth unless more is said. A request larger than a bucket needs a full one.
 */
export function strictLimiter(limits: Limits): Limiter {
  const { burstSeconds = 1 } = limits;
  const buckets = [
    bucket('requests', limits.requestsPerMinute, burstSeconds),
    bucket('tokens', limits.tokensPerMinute, burstSeconds),
  ].filter((each) => each !== null);
  const refuse = (kind: string, waitMs: number): Scenario => refusal(kind, waitMs, limits.retryAfter ?? true);
  const take = (load: Load, inFlight: number): Scenario | null => {
    if (limits.concurrency !== undefined && inFlight > limits.concurrency) return refuse('concurrency', 1000);
    const short = buckets.map((each) => ({ kind: each.kind, waitMs: each.waitMs(load) })).filter(({ waitMs }) => waitMs > 0);
    const longest = short.sort((one, other) => other.waitMs - one.waitMs)[0];
    if (longest !== undefined) return refuse(longest.kind, longest.waitMs);
    for (const each of buckets) each.take(load);
    return null;
  };
  return { take, headers: () => Object.assign({}, ...buckets.map((each) => each.headers())) };
}

type Bucket = {
  readonly kind: 'requests' | 'tokens';
  readonly waitMs: (load: Load) => number;
  readonly take: (load: Load) => void;
  readonly headers: () => Record<string, string>;
};

function bucket(kind: Bucket['kind'], perMinute: number | undefined, burstSeconds: number): Bucket | null {
  if (perMinute === undefined) return null;
  const perMs = perMinute / 60_000;
  const capacity = Math.max(1, perMs * burstSeconds * 1000);
  let [level, atMs] = [capacity, performance.now()];
  const need = (load: Load): number => Math.min(capacity, kind === 'requests' ? 1 : load.inputTokens + load.maxOutputTokens);
  const refill = (): void => {
    const nowMs = performance.now();
    level = Math.min(capacity, level + (nowMs - atMs) * perMs);
    atMs = nowMs;
  };
  const waitMs = (load: Load): number => {
    refill();
    return level >= need(load) ? 0 : (need(load) - level) / perMs;
  };
  const take = (load: Load): void => {
    level -= kind === 'requests' ? 1 : load.inputTokens + load.maxOutputTokens;
  };
  const headers = (): Record<string, string> => {
    refill();
    return {
      [`x-ratelimit-limit-${kind}`]: String(perMinute),
      [`x-ratelimit-remaining-${kind}`]: String(Math.max(0, Math.floor(level))),
      [`x-ratelimit-reset-${kind}`]: `${Math.ceil((capacity - level) / perMs)}ms`,
    };
  };
  return { kind, waitMs, take, headers };
}

function refusal(kind: string, waitMs: number, retryAfter: boolean): Scenario {
  const headers = retryAfter ? { 'retry-after': String(Math.ceil(waitMs / 1000)), 'retry-after-ms': String(Math.ceil(waitMs)) } : undefined;
  const message = `Rate limit reached on ${kind} per min. Please try again in ${(waitMs / 1000).toFixed(3)}s.`;
  return apiError(429, { message, type: kind === 'concurrency' ? 'requests' : kind, code: 'rate_limit_exceeded' }, headers);
}
