import type { RateReport, RateWindow } from '../../../src/domain/lane/lane.ts';
import type { Failure } from '../../../src/domain/reason.ts';
import type { Reply, Server } from './simulation.ts';

export type BucketServer = {
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
  readonly latencyMs: number;
  /** Seconds' worth that its buckets hold. */
  readonly burstS?: number;
  readonly retryAfter?: 'exact' | 'none';
  readonly headers?: boolean;
  readonly namesUnit?: boolean;
};

/** What one call makes a server do. */
export type Work = { readonly outputTokens: number; readonly perSecond: number; readonly overheadMs: number };

/** Answers any number of calls at once, each as fast as if it were alone; of some it fails. */
export function roomyServer(work: (call: number) => Work, fails: (call: number) => boolean = () => false): Server {
  let asked = 0;
  return {
    ask(atMs, _need, end) {
      const { outputTokens, perSecond, overheadMs } = work(asked++);
      const afterMs = Math.ceil(overheadMs + (outputTokens * 1000) / perSecond);
      if (fails(asked)) return { afterMs, failure: { class: 'transient', reason: 'server_error', message: 'status 500' } };
      end(atMs + afterMs, outputTokens);
      return null;
    },
  };
}

/** Computes so many calls at once and lets the others wait, without ever refusing: what it makes in a second never rises beyond that. */
export function slotServer(slots: number, tokensPerSecond: number, random: () => number, work?: () => Work): Server {
  const alike = (): Work => ({ outputTokens: Math.round(50 + 100 * random()), perSecond: tokensPerSecond, overheadMs: 0 });
  const freeAtMs = Array.from({ length: slots }, () => 0);
  return {
    ask(atMs, _need, end) {
      const slot = freeAtMs.indexOf(Math.min(...freeAtMs));
      const { outputTokens, perSecond, overheadMs } = (work ?? alike)();
      const endMs = Math.ceil(Math.max(atMs, freeAtMs[slot] ?? 0) + overheadMs + (outputTokens * 1000) / perSecond);
      freeAtMs[slot] = endMs;
      end(endMs, outputTokens);
      return null;
    },
  };
}

/** Answers nothing but failures between two times after its first call. */
export function failingServer(outage: { readonly fromMs: number; readonly untilMs: number }, failure: Failure, latencyMs: number): Server {
  let startMs: number | null = null;
  return {
    ask(atMs): Reply {
      startMs ??= atMs;
      const isOut = atMs - startMs >= outage.fromMs && atMs - startMs < outage.untilMs;
      return isOut ? { afterMs: 5, failure } : { afterMs: latencyMs, failure: null };
    },
  };
}

/** Refuses more calls at once. */
export function crowdedServer(most: number, latencyMs: number): Server {
  let ends: number[] = [];
  return {
    ask(atMs): Reply {
      ends = ends.filter((endMs) => endMs > atMs);
      if (ends.length >= most) return { afterMs: 20, failure: { ...refusal(null), limited: 'concurrency' } };
      ends.push(atMs + latencyMs);
      return { afterMs: latencyMs, failure: null };
    },
  };
}

/** Refuses whatever its buckets do not hold, at once; refused calls take nothing. */
export function bucketServer(options: BucketServer): Server {
  const { latencyMs, burstS = 1, retryAfter = 'exact', headers = false, namesUnit = false } = options;
  const requests = new Bucket(options.requestsPerMinute ?? null, burstS);
  const tokens = new Bucket(options.tokensPerMinute ?? null, burstS);
  return {
    ask(atMs, need): Reply {
      const waitMs = Math.max(requests.waitMs(atMs, 1), tokens.waitMs(atMs, need));
      const isTokens = tokens.waitMs(atMs, need) > 0;
      if (waitMs === 0) {
        requests.take(1);
        tokens.take(need);
      }
      const rates: RateReport = { requests: requests.window(), tokens: tokens.window() };
      const told = headers ? { rates } : {};
      if (waitMs === 0) return { afterMs: latencyMs, failure: null, ...told };
      const failure: Failure = {
        ...refusal(retryAfter === 'exact' ? Math.ceil(waitMs) : null),
        ...(namesUnit ? { limited: isTokens ? ('tokens' as const) : ('requests' as const) } : {}),
      };
      return { afterMs: Math.min(latencyMs, 50), failure, ...told };
    },
  };
}

export function refusal(retryAfterMs: number | null = null): Failure {
  const base: Failure = { class: 'rate', reason: 'rate_limited', message: 'slow down', status: 429 };
  return retryAfterMs === null ? base : { ...base, retryAfterMs };
}

class Bucket {
  readonly #perMinute: number | null;
  readonly #capacity: number;
  #level: number;
  #atMs: number | null = null;

  constructor(perMinute: number | null, burstS: number) {
    this.#perMinute = perMinute;
    this.#capacity = perMinute === null ? Number.POSITIVE_INFINITY : Math.max(1, (perMinute * burstS) / 60);
    this.#level = this.#capacity;
  }

  waitMs(nowMs: number, units: number): number {
    if (this.#perMinute === null) return 0;
    const perMs = this.#perMinute / 60_000;
    this.#level = Math.min(this.#capacity, this.#level + (nowMs - (this.#atMs ?? nowMs)) * perMs);
    this.#atMs = nowMs;
    const missing = Math.min(units, this.#capacity) - this.#level;
    return missing > 1e-9 ? missing / perMs : 0;
  }

  take(units: number): void {
    if (this.#perMinute !== null) this.#level -= Math.min(units, this.#capacity);
  }

  window(): RateWindow | null {
    if (this.#perMinute === null) return null;
    const resetMs = ((this.#capacity - this.#level) * 60_000) / this.#perMinute;
    return { limitPerMinute: this.#perMinute, remaining: Math.max(0, Math.floor(this.#level)), resetMs: Math.ceil(resetMs) };
  }
}
