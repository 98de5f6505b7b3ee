import { canonicalJson, sha256Hex } from './canonical-json.ts';
import type { CacheMode, CheckSpec, LeaseTimes } from './manifest/resolved.ts';
import type { RetryLimits } from './retry.ts';
import type { Aggregate, Gate } from './verdict.ts';

export type RunState = 'planning' | 'open' | 'paused' | 'finished' | 'cancelled';

/** What the latest `run` may change on an unfinished run: none of it changes an answer or a check. */
export type RunSettings = {
  readonly retry: RetryLimits;
  readonly lease: LeaseTimes;
  readonly runConcurrency: number | null;
  readonly cacheMode: CacheMode;
  readonly cacheTtlMs: number | null;
  readonly gate: Gate;
};

const IDENTITY_VERSION = 1;

export type IdentityJob = {
  readonly jobId: string;
  /** The keys known at plan, or the document's error. */
  readonly keys: readonly string[];
  readonly documentError: string | null;
  readonly checks: readonly CheckSpec[];
  readonly aggregate: Aggregate;
};

/** Two `run` of the same identity are one run. `jobs` come in plan order. */
export function runIdentity(jobs: readonly IdentityJob[]): string {
  return sha256Hex(canonicalJson({ version: IDENTITY_VERSION, jobs }));
}
