import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fatesOf, type JobFate, type Planned } from '../../../src/cli/plan/job-fates.ts';
import { tallied } from '../../../src/cli/plan/plan-tally.ts';
import type { ResolvedManifest, ResolvedModel, ResolvedProvider, ResolvedTask } from '../../../src/domain/manifest/resolved.ts';
import { merge } from '../../../src/engine/pool-worker.ts';
import { reduceStep } from '../../../src/engine/reduce-step.ts';
import type { NewJob } from '../../../src/store/plan-rows.ts';
import { Bench, Clock } from '../../store/bench.ts';
import { canonicalText, failure as failed, job, MANIFEST, part, step } from '../../store/rows.ts';
import { openTempStore, type SqliteBench } from '../../store/sqlite/open-store.ts';
import { MANIFEST as SAMPLE } from '../sample-run.ts';

let opened: SqliteBench;
let bench: Bench;
beforeEach(async () => {
  const clock = new Clock();
  opened = await openTempStore(clock.read);
  bench = new Bench(opened.store, clock);
});
afterEach(() => opened.dispose());

const LATER = { inputTokens: 1000, maxInputTokens: 2000, answers: 2 };
const MODEL: ResolvedModel = {
  ...{ id: 'model', provider: 'lab', model: 'qwen', group: null, params: { maxOutputTokens: 100 }, price: null, contextTokens: null },
  structuredOutput: 'auto',
  timeouts: { connectMs: 1, firstTokenMs: 1, idleMs: 1, totalMs: 1 },
};
const LAB = { ...SAMPLE.providers.lab, id: 'lab' } as ResolvedProvider;
const TASK = {
  ...SAMPLE.tasks.claims,
  id: 'task',
  checks: [],
  chunk: { by: 'section', maxTokens: null, overlap: 0, context: true, when: 'needed' },
  merge: { array: ['/findings'], dedupe: 'none', reduce: 'Sum up: {{answers}} {{merged}}' },
} as ResolvedTask;
const ASKING: ResolvedManifest = { ...MANIFEST, providers: { lab: LAB }, models: { model: MODEL }, tasks: { task: TASK } };
const TEXT = canonicalText('text of a.md which has two parts');

/** A job asked in parts of these keys. */
function inParts(seq: number, keys: readonly string[], changes: Partial<NewJob> = {}): NewJob {
  const steps = keys.map((key, index) => step(key, { kind: 'chunk', index, input: { kind: 'part', part: part(index, keys.length) } }));
  return job(`parts${seq}`, seq, { steps, ...changes });
}

function planned(jobs: readonly NewJob[], manifest = ASKING): Planned {
  const facts = { documentId: 'a.md', path: '/a.md', tags: [], sizeBytes: 1, bytesSha256: 'b', extractionKey: null };
  const tokens = { tokens: 1, maxTokens: 1 };
  return { manifest, documents: [{ ...facts, tokens, extraction: { ok: true, content: TEXT } }], plan: { jobs } };
}

const POOL: Parameters<typeof fatesOf>[2] = { size: 2, merge: async (task) => merge(task) };

async function gathered(pages: AsyncIterable<readonly JobFate[]>): Promise<JobFate[]> {
  const all: JobFate[] = [];
  for await (const page of pages) all.push(...page);
  return all;
}

async function fates(jobs: readonly NewJob[], manifest = ASKING): Promise<string[]> {
  const all = await gathered(fatesOf(opened.store, planned(jobs, manifest), POOL));
  return all.map(({ fate, ask, later }) =>
    [fate, ...ask.map(({ key }) => key), ...later.map(({ inputTokens }) => (inputTokens === 1000 ? 'reduce' : 'exact reduce'))].join(' '),
  );
}

/** Has these keys answered by another run. */
async function answered(answers: { readonly [key: string]: object }): Promise<void> {
  const runId = `r ${Object.keys(answers).join(' ')}`;
  await bench.plan(
    runId,
    Object.keys(answers).map((key, seq) => job(`job of ${key}`, seq, { steps: [step(key)] })),
  );
  for (const answer of Object.values(answers)) await bench.answer(await bench.claimed(runId), JSON.parse(JSON.stringify(answer)));
}

/** Has a key known to be bad. */
async function bad(key: string): Promise<void> {
  await bench.plan(`bad ${key}`, [job(`job of ${key}`, 0, { steps: [step(key)] })]);
  await bench.fail(await bench.claimed(`bad ${key}`), failed({ class: 'quality', reason: 'invalid_answer' }));
}

const [FIRST, SECOND] = [
  { findings: [1], note: 'x' },
  { findings: [2], note: 'y' },
];

function keyOfReduce(manifest = ASKING): string {
  const answers = [FIRST, SECOND].map((answer, index) => ({ part: part(index), answer }));
  const document = { documentId: 'a.md', content: TEXT };
  return reduceStep({ manifest, task: TASK, model: MODEL, repeat: 0, document, merged: { findings: [1, 2] }, answers }).key;
}

describe('a job in parts', () => {
  test('is asked for what is not known of it', async () => {
    await answered({ a: FIRST });
    const jobs = [inParts(0, ['a', 'b', 'c']), inParts(1, ['a']), inParts(2, ['a', 'b'], { later: [LATER] })];
    expect(await fates(jobs)).toEqual(['to_run b c', 'cached', 'to_run b reduce']);
    const tally = await tallied(ASKING, [], fatesOf(opened.store, planned(jobs), POOL));
    expect(tally.counts()).toEqual({ total: 3, jobs: 3, cached: 1, failed: 0, knownBad: 0, toRun: 2 });
    expect([tally.calls(), tally.callsToRun(), tally.callsToRun('model'), [...tally.providers()]]).toEqual([4, 3, 3, ['lab']]);
  });

  test('is not asked where one of the parts is known to be bad', async () => {
    await answered({ a: FIRST });
    await bad('b');
    expect(await fates([inParts(0, ['a', 'b', 'c']), inParts(1, ['b']), inParts(2, ['a', 'b'], { later: [LATER] })])).toEqual([
      'known_bad',
      'known_bad',
      'known_bad',
    ]);
  });

  test('whose parts are known takes what is made of them by its own key', async () => {
    await answered({ a: FIRST, b: SECOND });
    const jobs = [inParts(0, ['a', 'b'], { later: [LATER] })];
    expect(await fates(jobs)).toEqual(['to_run exact reduce']);
    await answered({ [keyOfReduce()]: { note: 'z' } });
    expect(await fates(jobs)).toEqual(['cached']);
    expect(await fates([inParts(0, ['b', 'a'], { later: [LATER] })])).toEqual(['to_run exact reduce']);
    expect(await fates(jobs, { ...ASKING, cache: { ...ASKING.cache, mode: 'refresh' } })).toEqual(['to_run a b reduce']);
  });

  test('is not asked where what is made of its parts is known to be bad, or cannot be asked', async () => {
    await answered({ a: FIRST, b: SECOND, n: { findings: 'none' } });
    await bad(keyOfReduce());
    const jobs = [inParts(0, ['a', 'b'], { later: [LATER] })];
    expect(await fates([...jobs, inParts(1, ['a', 'n'], { later: [LATER] })])).toEqual(['known_bad', 'known_bad']);
    const tight = { ...ASKING, models: { model: { ...MODEL, contextTokens: 150 } } };
    expect(await fates([inParts(0, ['b', 'a'], { later: [LATER] })], tight)).toEqual(['known_bad']);
  });
});

test('without a database all of it is asked, but for what cannot be', async () => {
  const failure = { reason: 'input_too_long', message: 'm' } as const;
  const jobs = [inParts(0, ['a', 'b'], { later: [LATER] }), job('j2', 1, { failure, steps: [] })];
  const all = await gathered(fatesOf(null, planned(jobs), POOL));
  expect(all.map(({ fate, ask, later }) => [fate, ask.length, later.length])).toEqual([
    ['to_run', 2, 1],
    ['failed', 0, 0],
  ]);
});
