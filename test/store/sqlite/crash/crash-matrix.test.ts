import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunTotals } from '../../../../src/store/rows.ts';
import { Bench } from '../../bench.ts';
import { beginning, type Death, deathsIn, die, inPairs, type Remains } from './deaths.ts';
import { drain } from './drain.ts';
import { dump, expectLedgerCovers, expectSound, storedAnswers } from './invariants.ts';
import { openIn } from './open-file.ts';
import { plan } from './operation-rows.ts';
import type { OperationName } from './operations.mjs';

const LIMIT_MS = 120_000;

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'aieval-deaths-'));
});
afterEach(() => rmSync(root, { recursive: true }));

/** How a run ended after a death. */
type End = {
  /** Calls made by whoever came after, in alphabetical order. */
  readonly calls: readonly string[];
  readonly jobs: Partial<RunTotals['jobs']>;
  /** Minutes that the next worker had to wait for leases or pauses. */
  readonly waits: number;
};

const end = (calls: readonly string[], jobs: End['jobs'] = { succeeded: 4 }, waits = 0): End => ({ calls, jobs, waits });

const ALL = end(['answer k1', 'answer k3', 'answer k4']);
/** The answer of k1 is stored, or k1 has failed for good. */
const OTHERS = end(['answer k3', 'answer k4']);
const NONE = end([]);

/** What follows when the operation left nothing, and when it left all. Three keys are asked; of what came before, only a call under way when its process died is repeated. */
const ENDS: Readonly<Record<OperationName, { readonly undone: End; readonly done: End }>> = {
  register: { undone: ALL, done: ALL },
  claim: { undone: ALL, done: ALL },
  hit: { undone: OTHERS, done: OTHERS },
  // Who comes later has watched nothing yet.
  reap: { undone: end(OTHERS.calls, OTHERS.jobs, 1), done: OTHERS },
  bury: { undone: OTHERS, done: OTHERS },
  sent: { undone: ALL, done: ALL },
  record: { undone: ALL, done: OTHERS },
  answered: { undone: OTHERS, done: OTHERS },
  superseded: { undone: OTHERS, done: end(['answer k3', 'answer k4', 'reask k1']) },
  retried: { undone: ALL, done: end(ALL.calls, ALL.jobs, 1) },
  failed: { undone: OTHERS, done: end(OTHERS.calls, { succeeded: 2, failed: 2 }) },
  downgraded: { undone: ALL, done: ALL },
  handedBack: { undone: ALL, done: ALL },
  finished: { undone: OTHERS, done: OTHERS },
  reduced: { undone: OTHERS, done: end([...OTHERS.calls, 'reduce kr']) },
  unjudged: { undone: OTHERS, done: end(OTHERS.calls, { succeeded: 3, failed: 1 }) },
  // Who leaves with a call under way may still bring its answer: its lease runs out before anyone asks again.
  leave: { undone: ALL, done: end(ALL.calls, ALL.jobs, 1) },
  plan: { undone: ALL, done: ALL },
  join: { undone: ALL, done: ALL },
  cancel: { undone: OTHERS, done: end([], { succeeded: 1, cancelled: 3 }) },
  retryJobs: { undone: end([], { failed: 4 }), done: ALL },
  finishRun: { undone: NONE, done: NONE },
  markArtifacts: { undone: NONE, done: NONE },
  markSummary: { undone: NONE, done: NONE },
  clearArtifacts: { undone: NONE, done: NONE },
};

/** Starts again after a death and brings the run to its end. Returns the state that the death left, and the end. */
async function restart({ folder, calls, nowMs }: Remains, name: OperationName): Promise<{ left: string; end: End }> {
  const { store, clock, db, close } = await openIn(folder, nowMs);
  try {
    const bench = new Bench(store, clock);
    const left = dump(db);
    const stored = storedAnswers(db);
    expectLedgerCovers(db, calls);
    if (name === 'plan') await plan(bench);
    const drained = await drain(bench);
    await expectSound(db, bench, ['r1']);
    expectLedgerCovers(db, [...calls, ...drained.calls]);
    expect(drained.calls.filter((call) => stored.includes(call))).toEqual([]);
    const { total, ...jobs } = (await store.runTotals('r1')).jobs;
    const counts = Object.fromEntries(Object.entries(jobs).filter(([, count]) => count > 0));
    return { left, end: end([...drained.calls].sort(), counts, drained.waits) };
  } finally {
    await close();
  }
}

type State = { readonly left: string; readonly ends: Map<Death, End> };

/** The states that deaths left, by how many transactions had been committed; there is one for each, or something was half done. */
async function statesAfter(name: OperationName): Promise<State[]> {
  const start = await beginning(join(root, name), name);
  const states: State[] = [];
  await inPairs(await deathsIn(start, name), async (death) => {
    const after = await restart(await die(start, name, death), name);
    const state = states[death.commits] ?? { left: after.left, ends: new Map() };
    states[death.commits] = state;
    expect(after.left, `half done: ${JSON.stringify(death)}`).toBe(state.left);
    state.ends.set(death, after.end);
  });
  return states;
}

describe('a process that dies at any statement or commit leaves all of it or nothing, and no call is made twice without need:', () => {
  it.each(Object.keys(ENDS).filter(isOperation))('%s', { timeout: LIMIT_MS }, async (name) => {
    const states = await statesAfter(name);
    const [first, last] = [states[0]?.left, states.at(-1)?.left];
    expect(last).not.toBe(first);
    for (const { left, ends } of states) {
      const { undone, done } = ENDS[name];
      const possible = left === first ? [undone] : left === last ? [done] : [undone, done];
      for (const [death, ended] of ends) expect(possible, JSON.stringify(death)).toContainEqual(ended);
    }
  });
});

function isOperation(name: string): name is OperationName {
  return name in ENDS;
}
