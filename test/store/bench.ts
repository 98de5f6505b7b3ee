import { expect } from 'vitest';
import type { Json } from '../../src/domain/canonical-json.ts';
import type { Failure } from '../../src/domain/reason.ts';
import type { JobResult } from '../../src/domain/result.ts';
import type { NewJob, NewRun } from '../../src/store/plan-rows.ts';
import type { JobRow, RunRow, RunTotals } from '../../src/store/rows.ts';
import type { Store } from '../../src/store/store.ts';
import type { Claim, ClaimReply, FinishWork, Settled } from '../../src/store/work.ts';
import { completion, document, FREE_ERROR, INVALID, newRun, PAID, result, worker } from './rows.ts';

export const START_MS = 1_800_000_000_000;

/** A clock that stands still until a test moves it. */
export class Clock {
  nowMs = START_MS;
  readonly read = (): number => this.nowMs;

  pass(ms: number): void {
    this.nowMs += ms;
  }
}

/** One store under examination, and what a test does with it again and again. */
export class Bench {
  readonly store: Store;
  readonly clock: Clock;

  constructor(store: Store, clock: Clock) {
    this.store = store;
    this.clock = clock;
  }

  /** A planned run with the document `a.md`, workers `w1` to `w3` and these jobs. */
  async plan(runId: string, jobs: readonly NewJob[], changes: Partial<NewRun> = {}): Promise<void> {
    await this.store.openRun(newRun(runId, changes));
    await this.store.addDocuments(runId, [document('a.md'), document('b.md')]);
    await this.store.addJobs(runId, jobs);
    await this.store.markPlanned(runId);
    for (const id of ['w1', 'w2', 'w3']) await this.store.registerWorker(worker(id));
  }

  claim(runId: string, workerId = 'w1'): Promise<ClaimReply> {
    return this.store.claim({ runId, workerId });
  }

  async claimed(runId: string, workerId = 'w1'): Promise<Claim> {
    const reply = await this.claim(runId, workerId);
    if (reply.kind !== 'claimed') throw new Error(`Expected a claim, got ${JSON.stringify(reply)}`);
    return reply.claim;
  }

  /** Sends the call of a claim and stores its answer. */
  async call(claim: Claim, content?: string): Promise<void> {
    if (!(await this.store.markSent(claim.token))) throw new Error('The lease was lost before sending');
    await this.store.recordResponse(claim.token, completion(content));
  }

  /** Calls and settles a valid answer. */
  async answer(claim: Claim, answer: Json = { findings: [] }): Promise<Settled> {
    await this.call(claim);
    return this.accept(claim, answer);
  }

  accept(claim: Claim, answer: Json = { findings: [] }, callToken = claim.token): Promise<Settled> {
    return this.store.settle(claim.token, { kind: 'answered', callToken, answer, repaired: false, call: PAID });
  }

  finish(claim: Claim, changes: Partial<JobResult> = {}): Promise<Settled> {
    if (claim.work.kind !== 'finish') throw new Error(`Expected finish work, got ${claim.work.kind}`);
    const callToken = claim.work.answers.at(-1)?.callToken ?? '';
    return this.store.settle(claim.token, { kind: 'finished', result: result(callToken, changes) });
  }

  /** Takes a claimed call to its job's verdict. */
  async complete(claim: Claim, changes: Partial<JobResult> = {}): Promise<void> {
    await this.finish(finishOf(await this.answer(claim)), changes);
  }

  /** Calls and gets an answer that does not fit; the model is asked again. */
  async supersede(claim: Claim): Promise<Settled> {
    await this.call(claim, '{"findings":1}');
    const reask = { answer: '{"findings":1}', errors: ['/findings must be an array'] };
    return this.store.settle(claim.token, { kind: 'superseded', callToken: claim.token, reask, failure: INVALID, call: PAID });
  }

  /** Sends and fails. */
  async fail(claim: Claim, failure: Failure): Promise<Settled> {
    if (!(await this.store.markSent(claim.token))) throw new Error('The lease was lost before sending');
    return this.store.settle(claim.token, { kind: 'failed', callToken: claim.token, failure, call: FREE_ERROR });
  }

  rows(runId: string): Promise<readonly JobRow[]> {
    return this.store.jobRows(runId, { after: -1, limit: 10_000 });
  }

  async row(runId: string, jobId: string): Promise<JobRow> {
    const record = await this.store.jobRecord(runId, jobId);
    if (record === null) throw new Error(`No job ${jobId}`);
    return record.job;
  }

  async run(runId: string): Promise<RunRow> {
    const run = await this.store.getRun(runId);
    if (run === null) throw new Error(`No run ${runId}`);
    return run;
  }

  /** Marks all files of a run as written, as they would be now. */
  async markWritten(runId: string): Promise<void> {
    await this.store.markArtifacts(runId, (await this.run(runId)).outDir, await this.rows(runId));
    await this.store.markSummary(runId, (await this.run(runId)).revision);
  }

  async states(runId: string): Promise<string[]> {
    return (await this.rows(runId)).map((row) => row.state);
  }
}

/** The finish step that a settle handed over. */
export function finishOf(settled: Settled): Claim {
  if (!settled.applied || settled.finish === null) throw new Error(`Expected a finish step, got ${JSON.stringify(settled)}`);
  return settled.finish;
}

/** The parts are answered, and nothing has made one answer of them. */
export function isUnreduced({ answers }: FinishWork): boolean {
  return answers.some(({ asked }) => asked.kind === 'part') && answers.every(({ asked }) => asked.kind !== 'reduce');
}

/** What the totals of a run must say, summed over its rows. */
export async function sumsOf(
  store: Store,
  runId: string,
): Promise<Pick<RunTotals, 'jobs' | 'calls' | 'attempts' | 'cacheHits' | 'tokens'>> {
  const jobs = { total: 0, queued: 0, running: 0, succeeded: 0, failed: 0, cancelled: 0 };
  const sums = { calls: 0, attempts: 0, cacheHits: 0, tokens: { input: 0, cachedInput: 0, output: 0 } };
  for (const row of await store.jobRows(runId, { after: -1, limit: 10_000 })) {
    jobs.total += 1;
    jobs[row.state] += 1;
    sums.calls += row.calls;
    sums.attempts += row.attempts;
    sums.cacheHits += Number(row.cached);
    sums.tokens.input += row.usage.uncachedInput + row.usage.cacheRead + row.usage.cacheWrite;
    sums.tokens.cachedInput += row.usage.cacheRead;
    sums.tokens.output += row.usage.output;
  }
  return { jobs, ...sums };
}

/** What the totals of a run must say of its money and of lost leases, summed over its calls and attempts. */
export async function costsOf(
  store: Store,
  runId: string,
): Promise<Pick<RunTotals['cost'], 'spentNanoUsd' | 'unpricedCalls' | 'uncertainCalls'> & { lostLeases: number }> {
  const sums = { pricedCalls: 0, spentNanoUsd: 0, unpricedCalls: 0, uncertainCalls: 0, lostLeases: 0 };
  for (const { jobId } of await store.jobRows(runId, { after: -1, limit: 10_000 })) {
    const record = await store.jobRecord(runId, jobId);
    for (const { state, costNanoUsd } of record?.calls ?? []) {
      sums.uncertainCalls += Number(state === 'unknown');
      sums.unpricedCalls += Number(state === 'settled' && costNanoUsd === null);
      sums.pricedCalls += Number(state === 'settled' && costNanoUsd !== null);
      sums.spentNanoUsd += state === 'settled' ? (costNanoUsd ?? 0) : 0;
    }
    sums.lostLeases += record?.attempts.filter(({ outcome }) => outcome === 'lost').length ?? 0;
  }
  const { pricedCalls, spentNanoUsd, ...counts } = sums;
  return { ...counts, spentNanoUsd: pricedCalls === 0 && counts.unpricedCalls > 0 ? null : spentNanoUsd };
}

/** The totals of every run equal the sums over its rows. */
export async function expectTrueTotals(store: Store): Promise<void> {
  for (const { runId } of await store.listRuns()) {
    const { jobs, calls, attempts, cacheHits, tokens, cost, lostLeases } = await store.runTotals(runId);
    expect({ jobs, calls, attempts, cacheHits, tokens }).toEqual(await sumsOf(store, runId));
    expect({ ...cost, lostLeases }).toMatchObject(await costsOf(store, runId));
  }
}
