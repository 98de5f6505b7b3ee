import BetterSqlite3 from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Bench, Clock } from '../../bench.ts';
import { failure, job, lane, step, worker } from '../../rows.ts';
import { openTempStore, type SqliteBench } from '../open-store.ts';

let opened: SqliteBench;
let bench: Bench;
let statements: Set<string>;

beforeEach(async () => {
  const clock = new Clock();
  statements = new Set();
  opened = await openTempStore(clock.read, {
    openDatabase: (path) => new BetterSqlite3(path, { timeout: 0, verbose: (text) => statements.add(String(text)) }),
  });
  bench = new Bench(opened.store, clock);
  await bench.plan('r1', [job('j1', 0), job('j2', 1)], { lanes: [lane({ concurrency: 1 })] });
});
afterEach(() => opened.dispose());

/** Plan of each statement on jobs and steps that was run, as SQLite explains it. */
function plans(): { text: string; detail: string }[] {
  return [...statements]
    .filter((text) => /^\s*(SELECT|UPDATE|DELETE|WITH)/.test(text))
    .flatMap((text) => {
      const rows = opened.db.prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${text}`).all();
      return rows.map((row) => ({ text: text.trim(), detail: row.detail }));
    });
}

it('no statement of a claim or a settle scans jobs, steps, calls or responses', async () => {
  statements.clear();
  await bench.complete(await bench.claimed('r1'));
  const second = await bench.claimed('r1');
  await bench.claim('r1', 'w2');
  await bench.supersede(second);
  await bench.claim('r1', 'w2');
  const scans = plans().filter(({ detail }) =>
    /^SCAN (jobs|steps|calls|responses|attempts|keys|[a-vx-z])\b(?!.*USING (COVERING )?INDEX)/.test(detail),
  );
  expect(scans.filter(({ detail }) => !/json_each|CONSTANT/.test(detail))).toEqual([]);
  // The whole run, or the whole job table, by way of an index.
  expect(plans().filter(({ detail }) => /USING (COVERING )?INDEX steps_of_job \(run_id=\?\)$/.test(detail))).toEqual([]);
});

it('the head of a queue is found in the order of its index, without sorting', async () => {
  statements.clear();
  await bench.claimed('r1');
  const heads = plans().filter(({ text }) => text.includes('ORDER BY s.order_ms'));
  expect(heads.some(({ detail }) => detail.includes('USING INDEX steps_queue (run_id=? AND gate=?)'))).toBe(true);
  expect(heads.filter(({ detail }) => detail.includes('TEMP B-TREE'))).toEqual([]);
});

it('what waits for a first token is looked through to a bound, and warm beginnings are not looked at at all', async () => {
  await bench.plan(
    'r2',
    [0, 1, 2].map((n) => job(`x${n}`, n, { steps: [step(`x${n}`, { prefix: 'p', laneId: 'caching' })] })),
    {
      lanes: [lane({ laneId: 'caching', cachesPrompts: true })],
    },
  );
  statements.clear();
  await bench.claimed('r2');
  expect((await bench.claim('r2')).kind).toBe('busy');
  const front = plans().filter(({ text }) => text.includes('LIMIT 1000'));
  expect(front.some(({ detail }) => detail.includes('USING COVERING INDEX steps_queue (run_id=? AND gate=?)'))).toBe(true);
  const prefixes = plans().filter(({ detail }) => /^(SCAN|SEARCH) (p|prefixes)\b/.test(detail));
  expect(prefixes.length).toBeGreaterThan(1);
  expect(prefixes.filter(({ detail }) => !/INDEX prefixes_(warming|by_age)|prefix=\?/.test(detail))).toEqual([]);
});

it('answers like one that is looked for are found among the first jobs of their document and task, without sorting all of them', async () => {
  await bench.complete(await bench.claimed('r1'));
  statements.clear();
  expect(await opened.store.relatedAnswers({ documentId: 'a.md', task: 'task', promptSha256: '', limit: 10 })).toHaveLength(1);
  const details = plans().map(({ detail }) => detail);
  expect(details).toContain('SEARCH a USING COVERING INDEX jobs_of_document (run_id=? AND document_id=? AND task=?)');
  expect(details.filter((detail) => /^SEARCH j\b/.test(detail))).toEqual([
    'SEARCH j USING INDEX sqlite_autoindex_jobs_2 (run_id=? AND seq=?)',
  ]);
});

it('a claim that finds nothing to start writes nothing, also where steps wait for a person', async () => {
  await bench.plan('r2', [job('x1', 0, { model: 'typo' }), job('x2', 1, { model: 'typo' })]);
  await bench.fail(await bench.claimed('r2'), failure({ class: 'fatal', reason: 'model_unknown' }));
  expect((await bench.claim('r2')).kind).toBe('blocked');
  const version = () => opened.db.pragma('data_version', { simple: true });
  const before = version();
  expect((await bench.claim('r2')).kind).toBe('blocked');
  expect(version()).toBe(before);
});

it('what waits for a later time is not read before it, however much of it there is', async () => {
  statements.clear();
  await bench.claimed('r1');
  const parked = plans().filter(({ text, detail }) => text.startsWith('UPDATE steps SET parked = 0') && detail.includes('steps_parked'));
  expect(parked.map(({ detail }) => /run_id=\? AND run_at_ms[<>]\?/.test(detail))).toEqual([true, true]);
});

it('a cancel of jobs, and the question of what is to be ended, look at those jobs and leases alone', async () => {
  await bench.claimed('r1');
  statements.clear();
  await bench.store.cancelJobs('r1', ['j1', 'j2'], { now: true });
  await bench.store.leasesToEnd('w1');
  const steps = plans().filter(({ detail }) => /^(SCAN|SEARCH) (steps|s|jobs|j)\b/.test(detail));
  expect(steps.filter(({ text }) => text.includes('cancel')).length).toBeGreaterThan(3);
  // What runs is few, wherever it is.
  const narrow = /INDEX steps_(running|one_flight_in_run)\b/;
  expect(steps.filter(({ detail }) => !narrow.test(detail) && (detail.startsWith('SCAN') || /\(run_id=\?\)$/.test(detail)))).toEqual([]);
});

it('a look at lanes reads no run that is over, however many drew on the same lanes', async () => {
  await bench.store.registerWorker({ ...worker('any'), runId: null });
  statements.clear();
  const claim = await bench.claimed('r1');
  await bench.store.markSent(claim.token);
  const looks = plans().filter(({ text }) => text.includes('run_lanes'));
  expect(looks.filter(({ detail }) => /\bSCAN (r|own|o|l)\b/.test(detail) && !detail.includes('INDEX runs_unfinished'))).toEqual([]);
  // By its lane alone a row of every run that ever drew on it would be found.
  expect(
    looks.map(({ detail }) => detail).filter((detail) => /run_lanes|SEARCH (own|o)\b/.test(detail) && !detail.includes('run_id=?')),
  ).toEqual([]);
  expect(looks.some(({ detail }) => detail.includes('INDEX runs_unfinished'))).toBe(true);
});

it('rows and records of some jobs look at what those jobs have alone, however large the store is', async () => {
  await bench.complete(await bench.claimed('r1'));
  statements.clear();
  await bench.store.jobRows('r1', { after: -1, limit: 10 });
  await bench.store.jobRows('r1', { after: -1, limit: 10, onlyFailed: true });
  await bench.store.jobsWithoutArtifacts('r1', 10);
  await bench.store.jobRecords('r1', ['j1', 'j2']);
  const reads = plans().filter(({ text }) => /\b(jobs|steps|attempts|calls)\b/.test(text));
  expect(new Set(reads.map(({ text }) => text)).size).toBe(7);
  const own = ['page', 'p', 'a', 'payers', 'json_each'];
  const scans = reads.filter(({ detail }) => /^SCAN \w/.test(detail) && !own.includes(detail.split(' ')[1] ?? ''));
  expect(scans).toEqual([]);
  expect(reads.filter(({ detail }) => /^SEARCH .*\(run_id=\?\)$/.test(detail) && !detail.includes('jobs_without_artifacts'))).toEqual([]);
});

it('the log of some jobs is found by their names, that of all in the order of its indexes', async () => {
  await bench.complete(await bench.claimed('r1'));
  const page = { after: null, sinceMs: 0, beforeMs: Number.MAX_SAFE_INTEGER, limit: 500, onlyFailed: false };
  const readOf = async (jobIds: readonly string[] | null): Promise<readonly string[]> => {
    statements.clear();
    await bench.store.logRows('r1', { ...page, jobIds });
    return plans().map(({ detail }) => detail);
  };
  const some = await readOf(['j1', 'j2']);
  expect(some.filter((detail) => / (a|j)\b.*INDEX/.test(detail)).map((detail) => detail.replace(/^SEARCH | LEFT-JOIN$/g, ''))).toEqual([
    'a USING INDEX attempts_of_job (run_id=? AND job_id=?)',
    'j USING INDEX sqlite_autoindex_jobs_1 (run_id=? AND job_id=?)',
    'j USING INDEX sqlite_autoindex_jobs_1 (run_id=? AND job_id=?)',
  ]);
  const all = await readOf(null);
  expect(all.filter((detail) => /attempts_told|jobs_by_end/.test(detail))).toHaveLength(2);
  for (const plan of [some, all]) expect(plan.filter((detail) => /^SCAN (a|j|s|attempts|jobs|steps)\b/.test(detail))).toEqual([]);
});
