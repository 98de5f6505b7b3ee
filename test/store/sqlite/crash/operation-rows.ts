import { rmSync, writeFileSync } from 'node:fs';
import { Bench } from '../../bench.ts';
import { completion, document, FREE_ERROR, failure, INVALID, jobOfKey, newRun, PAID, reduce, result, worker } from '../../rows.ts';
import type { OpenedStore } from './open-file.ts';
import type { OperationName, OperationRows } from './operations.mjs';
import { VICTIM } from './operations.mjs';

/** Four jobs over three keys: a twin must never be called a second time. */
const JOBS = [jobOfKey('j1', 0, 'k1'), jobOfKey('j2', 1, 'k1'), jobOfKey('j3', 2, 'k3'), jobOfKey('j4', 3, 'k4')];

/** Longer than what is left of a page of the file. */
const ANSWER = { findings: [], note: 'x'.repeat(10_000) };

/** What the operations write. */
export function operationRows(): OperationRows {
  return {
    run: newRun('r1'),
    documents: [document('a.md')],
    jobs: JOBS,
    worker: worker(VICTIM),
    completion: completion(JSON.stringify(ANSWER)),
    answer: ANSWER,
    result: result(''),
    reduce: reduce('kr'),
    paid: PAID,
    free: FREE_ERROR,
    failures: {
      transient: failure(),
      quality: INVALID,
      capability: failure({ class: 'capability', reason: 'unsupported', status: 400 }),
      check: failure({ class: 'permanent', reason: 'check_error', message: 'the checks: gave up after 60 s' }),
    },
  };
}

/** What stands in the store before an operation. */
export type Start = 'empty' | 'planned' | 'lost' | 'failed' | 'ended';

export const STARTS: Readonly<Record<OperationName, Start>> = {
  register: 'planned',
  claim: 'planned',
  hit: 'planned',
  reap: 'lost',
  bury: 'lost',
  sent: 'planned',
  record: 'planned',
  answered: 'planned',
  superseded: 'planned',
  retried: 'planned',
  failed: 'planned',
  downgraded: 'planned',
  handedBack: 'planned',
  finished: 'planned',
  reduced: 'planned',
  unjudged: 'planned',
  leave: 'planned',
  plan: 'empty',
  join: 'planned',
  cancel: 'planned',
  retryJobs: 'failed',
  finishRun: 'ended',
  markArtifacts: 'ended',
  markSummary: 'ended',
  clearArtifacts: 'ended',
};

/** Another worker, that held leases when it vanished. */
const GHOST = 'ghost';

/** Brings an empty store to where the operation begins. Returns the calls that were made on the way, as `kind key`. */
export async function prepare(opened: OpenedStore, operation: OperationName): Promise<readonly string[]> {
  const start = STARTS[operation];
  if (start === 'empty') return [];
  const bench = new Bench(opened.store, opened.clock);
  await plan(bench);
  if (start === 'lost') return lose(bench, opened.path, operation === 'bury');
  if (start === 'failed') return work(bench, (claim) => bench.fail(claim, failure({ class: 'permanent' })));
  return start === 'ended' ? work(bench, (claim) => bench.complete(claim)) : [];
}

/** A run of four jobs with all its rows. Taken up again after a death, it ends the same. */
export async function plan({ store }: Bench): Promise<void> {
  const { run, documents, jobs } = operationRows();
  const opened = await store.openRun(run);
  await store.addDocuments(opened.run.runId, documents);
  await store.addJobs(opened.run.runId, jobs);
  await store.markPlanned(opened.run.runId);
}

/** One answer stored, one call sent, one step claimed; then silence. The free lock proves the death; without it only time does. */
async function lose(bench: Bench, path: string, isProven: boolean): Promise<readonly string[]> {
  await bench.store.registerWorker(worker(GHOST));
  const [first, second] = [await bench.claimed('r1', GHOST), await bench.claimed('r1', GHOST)];
  await bench.claimed('r1', GHOST);
  await bench.call(first);
  await bench.store.markSent(second.token);
  await bench.store.close();
  const lock = `${path}.workers/${GHOST}.lock`;
  if (isProven) writeFileSync(lock, '');
  else rmSync(lock, { force: true });
  return ['answer k1', 'answer k3'];
}

async function work(bench: Bench, end: (claim: Awaited<ReturnType<Bench['claimed']>>) => Promise<unknown>): Promise<readonly string[]> {
  const calls: string[] = [];
  await bench.store.registerWorker(worker('first'));
  for (let reply = await bench.claim('r1', 'first'); reply.kind === 'claimed'; reply = await bench.claim('r1', 'first')) {
    const { claim } = reply;
    if (claim.work.kind === 'finish') {
      await bench.finish(claim);
    } else {
      calls.push(`answer ${claim.work.key}`);
      await end(claim);
    }
  }
  await bench.store.removeWorker('first');
  return calls;
}
