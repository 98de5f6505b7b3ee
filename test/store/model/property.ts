import fc from 'fast-check';
import { expect } from 'vitest';
import type { RunSettings } from '../../../src/domain/run.ts';
import type { NewJob, NewRun } from '../../../src/store/plan-rows.ts';
import type { Store } from '../../../src/store/store.ts';
import { chunk, document, job, jobOfKey, lane, newRun, settings, step } from '../rows.ts';
import { answer, anyCommand, type Command, claim, perform } from './commands.ts';
import { Machine, type Place } from './machine.ts';

const LANES = [lane({ concurrency: 3, requestsPerMinute: 600, tokensPerMinute: 600_000, cachesPrompts: true })];

const RATE = { price: { inputPerMTok: 1, outputPerMTok: 2 }, maxOutputTokens: 1000 };
/** The most that one call may cost, in nano-USD, and use; a re-ask may cost more. */
const WORST = 2_100_000;
const WORST_TOKENS = 1100;
const NO_BUDGET = { nanoUsd: null, tokens: null, activeMs: null, warnAt: 0.8, group: null };
const GROUP = { name: 'team', nanoUsd: 8 * WORST, per: 'total' } as const;

/** Enough for some of the calls only. */
const SETTINGS: { readonly [runId: string]: RunSettings } = {
  r1: settings({ rates: { model: RATE }, budget: { ...NO_BUDGET, nanoUsd: 5 * WORST, group: GROUP } }),
  r2: settings({ cacheMode: 'off', rates: { model: RATE }, budget: { ...NO_BUDGET, tokens: 5 * WORST_TOKENS, group: GROUP } }),
};

const JOBS = [
  jobOfKey('j0', 0, 'k0'),
  jobOfKey('j1', 1, 'k0'),
  job('j2', 2, { steps: [step('k1', { prefix: 'p' })] }),
  job('j3', 3, { steps: [chunk('k2', 0, { prefix: 'p' }), chunk('k3', 1, { prefix: 'p' })] }),
  jobOfKey('j4', 4, 'k2'),
];

/** A place that a store makes for one sequence of commands, and what its rows say is wrong. */
export type Examined = Place & {
  readonly broken: () => readonly string[] | Promise<readonly string[]>;
  readonly dispose: () => Promise<void>;
};

const RUNS = Number(process.env.AIEVAL_MODEL_RUNS ?? 40);

/** Whatever happens to two to four processes and their machine: what they were told stays true, and all work can be ended. */
export async function examine(open: () => Promise<Examined>): Promise<void> {
  const seed = Number(process.env.AIEVAL_MODEL_SEED ?? Date.now() % 2_147_483_647);
  console.log(`model: seed ${seed} (AIEVAL_MODEL_SEED), ${RUNS} sequences`);
  const sequences = fc.asyncProperty(fc.array(anyCommand, { minLength: 10, maxLength: 70 }), (commands) => play(open, commands));
  await fc.assert(sequences, { seed, numRuns: RUNS, endOnFailure: false });
}

async function play(open: () => Promise<Examined>, commands: readonly Command[]): Promise<void> {
  const place = await open();
  const machine = new Machine(place);
  try {
    await begin(machine);
    for (const command of commands) {
      await perform(machine, command);
      expect(await place.broken()).toEqual([]);
    }
    await drain(machine);
    expect(await place.broken()).toEqual([]);
  } finally {
    for (const process of machine.processes) if (process.alive) await process.bench.store.close();
    await place.dispose();
  }
}

/** Two runs that share their questions, one of them only within itself, and an ended third one. */
async function begin(machine: Machine): Promise<void> {
  const { bench } = await machine.start();
  await machine.start();
  await plan(bench.store, 'r3', JOBS.slice(0, 1));
  await bench.store.cancelRun('r3');
  for (const run of ['r1', 'r2']) await plan(bench.store, run, JOBS, { settings: SETTINGS[run] ?? settings() });
}

async function plan(store: Store, runId: string, jobs: readonly NewJob[], changes: Partial<NewRun> = {}): Promise<void> {
  await store.openRun(newRun(runId, { lanes: LANES, ...changes }));
  await store.addDocuments(runId, [document('a.md')]);
  await store.addJobs(runId, jobs);
  await store.markPlanned(runId);
}

const TURNS = 300;

/** One honest process works off what is left, whatever the others were at; each run ends. */
async function drain(machine: Machine): Promise<void> {
  const last = await machine.start();
  const { store } = last.bench;
  for (const run of ['r1', 'r2']) {
    await store.resumeRun(run);
    await startAgain(store, run);
    for (let turn = 0; turn < TURNS && !(await isOver(machine, run)); turn += 1) {
      if ((await claim(machine, last, run)) !== 'claimed') await machine.pass(61_000);
      for (const held of [...last.held]) await answer(machine, last, held);
      // What others still hold and go on renewing is theirs to end.
      for (const other of machine.awake()) for (const held of [...other.held]) await answer(machine, other, held);
    }
    await store.finishRun(run);
    expect(['finished', 'cancelled']).toContain((await store.getRun(run))?.state);
  }
}

/** A person starts an unfinished run again, without a budget, after whatever had paused it was mended. */
async function startAgain(store: Store, runId: string): Promise<void> {
  if ((await store.getRun(runId))?.state !== 'open') return;
  const identity = newRun(runId).identity;
  await store.openRun(newRun('again', { identity, lanes: LANES, settings: { ...(SETTINGS[runId] ?? settings()), budget: null } }));
}

async function isOver(machine: Machine, run: string): Promise<boolean> {
  const [process] = machine.awake();
  const totals = await process?.bench.store.runTotals(run);
  return totals !== undefined && totals.jobs.queued + totals.jobs.running === 0;
}
