import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Inspection } from '../../../../src/store/maintenance.ts';
import { inspectPostgres } from '../../../../src/store/postgres/inspect/inspect.ts';
import { INVARIANTS } from '../../../../src/store/postgres/schema/invariants.ts';
import { Bench, Clock } from '../../bench.ts';
import { failure, jobOfKey } from '../../rows.ts';
import { type PostgresBench, TestSchemas } from '../open-store.ts';

const schemas = new TestSchemas();
afterAll(() => schemas.drop());

let clock: Clock;
let opened: PostgresBench;
let bench: Bench;
beforeEach(async () => {
  clock = new Clock();
  opened = await schemas.open(clock.read);
  bench = new Bench(opened.store, clock);
});
afterEach(() => opened.dispose());

const inspect = () => inspectPostgres({ location: opened.location, clock: clock.read });
const named = (found: readonly Inspection[], check: string) => found.filter((one) => one.check === check);
const problems = (found: readonly Inspection[]) => found.filter(({ status }) => status === 'problem').map(({ message }) => message);

/** One job done, one that failed once, one that runs, and more that wait. */
async function sample(): Promise<void> {
  await bench.plan(
    'r1',
    Array.from({ length: 10 }, (_, i) => jobOfKey(`j${i}`, i, `k${i}`)),
  );
  await bench.complete(await bench.claimed('r1'));
  await bench.fail(await bench.claimed('r1'), failure());
  await bench.claimed('r1');
}

describe('a store on PostgreSQL at work', () => {
  it('is found sound while a worker lives and holds a lease', async () => {
    await sample();
    const found = await inspect();
    expect(found.map(({ check, status }) => `${check} ${status}`)).toEqual([
      'server ok',
      'schema ok',
      'totals ok',
      'work ok',
      'locks ok',
      'workers ok',
      'leases ok',
      'spool ok',
    ]);
    expect(named(found, 'workers')[0]?.message).toBe('3 alive, 0 gone');
    // The first counts connections, also those of others.
    expect((await opened.store.inspect()).slice(1)).toEqual(found.slice(1));
  });

  it('tells of leases whose worker cannot be asked and does not beat, and what takes them up', async () => {
    await sample();
    clock.pass(3_600_000);
    const found = await inspect();
    expect(named(found, 'workers')[0]?.message).toBe('0 alive, 3 silent, 0 gone');
    expect(named(found, 'leases')).toEqual([
      {
        ...{ check: 'leases', status: 'warning', message: '1 lease of silent workers elsewhere' },
        next: ['any aieval command on laptop first: answers may be kept there', 'aieval worker r1'],
      },
    ]);
  });

  it('tells of leases whose worker died on this machine, at once', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'aieval-inspect-'));
    const here = { hostId: 'boot-1', spoolFolders: [join(folder, 'spool')], userId: process.geteuid?.() ?? null };
    const dying = await opened.another(here);
    bench = new Bench(dying, clock);
    await sample();
    // As at a death its locks are free; what it registered stays.
    await dying.close();
    const found = await inspectPostgres({ location: opened.location, clock: clock.read, ...here });
    expect(named(found, 'workers')[0]?.message).toBe('0 alive, 3 gone');
    expect(named(found, 'leases')).toEqual([
      { check: 'leases', status: 'warning', message: '1 lease of workers that are gone', next: ['aieval worker r1'] },
    ]);
    rmSync(folder, { recursive: true });
  });

  it('that somebody keeps for himself is given up before long, and who that is is told', { timeout: 60_000 }, async () => {
    await sample();
    const url = new URL(opened.location);
    url.searchParams.set('application_name', 'a migration');
    const client = new Client({ connectionString: url.href });
    await client.connect();
    await client.query(`BEGIN; LOCK TABLE "${opened.schema}".runs, "${opened.schema}".steps, "${opened.schema}".workers`);
    try {
      const startedAtMs = performance.now();
      const found = problems(await inspect());
      expect(performance.now() - startedAtMs).toBeLessThan(15_000);
      expect(found).toEqual([
        expect.stringMatching(/are locked by another program for too long\.$/),
        expect.stringMatching(
          /^session \d+ \(a migration, idle in transaction\) holds rows that others wait for, in a transaction begun \d+ s ago\.$/,
        ),
      ]);
    } finally {
      await client.end();
    }
    expect(problems(await inspect())).toEqual([]);
  });

  it('tells of a session that others wait for', async () => {
    await sample();
    const holder = new Client({ connectionString: urlOf(opened.location), application_name: 'a viewer' });
    await holder.connect();
    await holder.query(`BEGIN; SELECT 1 FROM "${opened.schema}".runs FOR UPDATE`);
    const waiting = opened.store.pauseRun('r1');
    const found = await until(async () => named(await inspect(), 'locks').find(({ status }) => status === 'problem'));
    expect(found.message).toMatch(
      /^session \d+ \(a viewer, idle in transaction\) holds rows that others wait for, in a transaction begun \d+ s ago\.$/,
    );
    expect(found.next).toEqual([expect.stringMatching(/^select pg_terminate_backend\(\d+\)$/)]);
    await holder.end();
    expect(await waiting).toEqual({ changed: true });
  });

  it('has nothing to tell of those who wait for each other elsewhere in the database', async () => {
    const [holder, other] = [1, 2].map(() => new Client({ connectionString: urlOf(opened.location) }));
    if (holder === undefined || other === undefined) throw new Error('Expected two');
    await Promise.all([holder.connect(), other.connect()]);
    await holder.query(`CREATE TABLE public."${opened.schema}" (n int)`);
    await holder.query(`BEGIN; LOCK TABLE public."${opened.schema}"`);
    const waiting = expect(other.query(`SELECT n FROM public."${opened.schema}"`)).rejects.toMatchObject({ code: '42P01' });
    const sawIt = `SELECT 1 FROM pg_stat_activity a WHERE cardinality(pg_blocking_pids(a.pid)) > 0
      AND a.query LIKE '%public."${opened.schema}"%' AND a.query_start < clock_timestamp() - interval '3.5 s'`;
    await until(async () => ((await opened.db.query(sawIt)).rowCount === 1 ? true : undefined));
    expect(named(await inspect(), 'locks')).toMatchObject([{ status: 'ok' }]);
    await holder.query(`DROP TABLE public."${opened.schema}"; COMMIT`);
    await waiting;
    await Promise.all([holder.end(), other.end()]);
  });
});

/** A bare URL of the server. */
function urlOf(location: string): string {
  const url = new URL(location);
  url.searchParams.delete('schema');
  url.searchParams.delete('application_name');
  return url.href;
}

async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
  }
}

describe('what is not there', () => {
  it('is said without being created', async () => {
    const url = new URL(opened.location);
    url.searchParams.set('schema', `${opened.schema.slice(0, 20)}_none`);
    const found = await inspectPostgres({ location: url.href, clock: null });
    expect(found.map(({ check, status }) => `${check} ${status}`)).toEqual(['server ok', 'schema ok']);
    expect(found[1]?.message).toBe('the schema is not there yet; the first run creates it');
    expect((await opened.db.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [url.searchParams.get('schema')])).rowCount).toBe(0);
  });

  it('a server that does not answer is a problem, told without its password', async () => {
    const found = await inspectPostgres({ location: 'postgres://ann:secret@127.0.0.1:1/spec', clock: null });
    expect(found).toMatchObject([{ check: 'server', status: 'problem', message: expect.stringContaining('does not answer') }]);
    expect(JSON.stringify(found)).not.toContain('secret');
  });

  it('a schema of a newer version is a problem, and no more is asked of it', async () => {
    await opened.db.query('INSERT INTO aieval_migrations (version, breaking) VALUES (99, true)');
    const found = await inspect();
    await opened.db.query('DELETE FROM aieval_migrations WHERE version = 99');
    expect(found.map(({ check, status }) => `${check} ${status}`)).toEqual(['server ok', 'schema problem']);
  });
});

const RUNNING_J9 = `state = 'running', gate = NULL, lease_token = 't', leased_at_ms = 1, lease_expires_at_ms = 1, deadline_at_ms = 1`;
const REASK_OF_J9 = `
UPDATE steps SET kind = 'chunk' WHERE job_id = 'j9' AND kind = 'answer';
INSERT INTO steps (run_id, job_id, kind, step_index, key, flight_key, lane_id, input_tokens, state, order_ms, seq, run_at_ms)
SELECT run_id, job_id, 'reask', 0, key, flight_key, lane_id, 1, 'queued', 1, 1, 1 FROM steps WHERE job_id = 'j9' AND kind = 'chunk'`;
const inputOf = (kind: string, input: string) => `
INSERT INTO step_inputs (step_id, input, input_kind) SELECT step_id, '{}', '${input}' FROM steps WHERE job_id = 'j9' AND kind = '${kind}'`;
const REDUCE_OF_J9 = `
INSERT INTO steps (run_id, job_id, kind, step_index, key, flight_key, lane_id, input_tokens, state, order_ms, seq, run_at_ms)
SELECT run_id, job_id, 'reduce', 0, key, flight_key, lane_id, 1, 'queued', 1, 1, 1 FROM steps WHERE job_id = 'j9' LIMIT 1;
${inputOf('reduce', 'prompt')}`;

/** Changes that break one fact each; the totals' triggers do not see them. */
const BREAKS: readonly (readonly [name: string, change: string])[] = [
  ['totals that are not the sums over the jobs', 'UPDATE run_totals SET pass = pass + 1'],
  ['totals that are not the sums over the jobs', `INSERT INTO run_totals (run_id, task, model, total) VALUES ('r1', 'gone', 'model', 1)`],
  ['totals that are not the sums over the attempts', 'UPDATE run_totals SET attempts = attempts - 1'],
  ['totals that are not the sums over the attempts', 'UPDATE run_totals SET lost_leases = 1'],
  ['totals that are not the sums over the calls', 'UPDATE run_totals SET spent_nano_usd = spent_nano_usd + 1'],
  ['totals that are not the sums over the calls', 'UPDATE run_totals SET output_tokens = 0'],
  ['totals that are not the sums over the calls', 'UPDATE run_totals SET reserved_nano_usd = 5'],
  ['totals that are not the sums over the calls', 'UPDATE run_totals SET reserved_tokens = reserved_tokens + 1'],
  ['totals that are not the sums over the calls', 'UPDATE run_totals SET generating_ms = 1'],
  ['totals that are not the sums over the parts', 'UPDATE run_totals SET open_parts = open_parts + 1'],
  ['latencies that are not those of the calls', `INSERT INTO run_latencies (run_id, model, bucket, calls) VALUES ('r1', 'model', 1, 7)`],
  [
    'groups whose open money is not the sum over the calls',
    `INSERT INTO group_totals (group_name, month, reserved_nano_usd) VALUES ('team', '2026-11', 5)`,
  ],
  ['an open job whose state is not that of its steps', `UPDATE jobs SET state = 'running' WHERE job_id = 'j9'`],
  ['an open job without an open step', `UPDATE steps SET state = 'cancelled' WHERE job_id = 'j9'`],
  ['a queued step of an ended job', `UPDATE jobs SET state = 'cancelled', ended_at_ms = 1 WHERE job_id = 'j9'`],
  [
    'an open call without a lease',
    `UPDATE steps SET state = 'queued', lease_token = NULL, lease_owner = NULL, leased_at_ms = NULL, lease_expires_at_ms = NULL,
      deadline_at_ms = NULL, counted = false WHERE job_id = 'j2' AND state = 'running'; UPDATE jobs SET state = 'queued' WHERE job_id = 'j2'`,
  ],
  ['a cached answer that was never found valid', `UPDATE responses SET judgement = 'invalid', answer = NULL`],
  ['an ended job that is still to be cancelled', `UPDATE jobs SET cancel_asked = 'drain' WHERE state = 'succeeded'`],
  ['a call queued for a job that is being cancelled', `UPDATE jobs SET cancel_asked = 'drain' WHERE job_id = 'j9'`],
  [
    'a step that waits for a person though its model is not paused',
    `UPDATE steps SET parked = true, run_at_ms = 9007199254740991 WHERE job_id = 'j9' AND state = 'queued'`,
  ],
  [
    'a call that never left and gave nothing back',
    `UPDATE calls SET state = 'released', granted_tokens = 1 WHERE call_token = (SELECT min(call_token) FROM calls WHERE state = 'settled')`,
  ],
  [
    'a failed job that keeps a result',
    `UPDATE jobs SET state = 'failed', verdict = 'error', error_reason = 'timeout', error_message = 'm', ended_at_ms = 1 WHERE job_id = 'j9';
     INSERT INTO job_results (run_id, job_id, result) VALUES ('r1', 'j9', '{}');
     UPDATE steps SET state = 'cancelled', gate = NULL WHERE job_id = 'j9'`,
  ],
  ['a part or a reduce that asks nothing', `UPDATE steps SET kind = 'chunk' WHERE job_id = 'j9' AND kind = 'answer'`],
  ['a part or a reduce that asks nothing', `${REASK_OF_J9}; ${inputOf('chunk', 'part')}`],
  [
    'answers that are reduced before all are there',
    `${REASK_OF_J9}; ${inputOf('reask', 'part')}; ${inputOf('chunk', 'part')};
     UPDATE steps SET state = 'succeeded', outcome = 'superseded', gate = NULL WHERE job_id = 'j9' AND kind = 'chunk'; ${REDUCE_OF_J9}`,
  ],
  ['answers that are reduced before all are there', `${REASK_OF_J9}; ${inputOf('reask', 'prompt')}; ${inputOf('chunk', 'part')}`],
  ['answers that are reduced before all are there', REDUCE_OF_J9],
  [
    'a worker with two suspects',
    `UPDATE steps SET ${RUNNING_J9}, lease_owner = (SELECT lease_owner FROM steps WHERE job_id = 'j2' AND state = 'running')
       WHERE job_id = 'j9' AND state = 'queued';
     UPDATE jobs SET state = 'running' WHERE job_id = 'j9';
     INSERT INTO keys (run_id, key, suspect) SELECT run_id, key, true FROM steps WHERE job_id IN ('j2', 'j9') AND key IS NOT NULL`,
  ],
  [
    'two flights of one key',
    `DROP INDEX steps_one_flight;
     UPDATE steps SET ${RUNNING_J9}, lease_owner = 'w2', flight_key = (SELECT flight_key FROM steps WHERE job_id = 'j2' AND state = 'running')
       WHERE job_id = 'j9' AND state = 'queued';
     UPDATE jobs SET state = 'running' WHERE job_id = 'j9'`,
  ],
  [
    'one key running twice in a run',
    `DROP INDEX steps_one_flight_in_run;
     UPDATE steps SET ${RUNNING_J9}, lease_owner = 'w2', key = (SELECT key FROM steps WHERE job_id = 'j2' AND state = 'running')
       WHERE job_id = 'j9' AND state = 'queued';
     UPDATE jobs SET state = 'running' WHERE job_id = 'j9'`,
  ],
];

describe('rows that contradict each other', () => {
  beforeEach(sample);

  /** Which facts of the kind are broken after the change, which is taken back; totals without what triggers would make of it. */
  async function brokenBy(change: string, check: 'totals' | 'work'): Promise<string[]> {
    await opened.db.query('BEGIN');
    try {
      if (check === 'totals') await opened.db.query('SET LOCAL session_replication_role = replica');
      await opened.db.query(change);
      const broken: string[] = [];
      for (const one of INVARIANTS) if (one.check === check && (await opened.db.query(one.sql)).rowCount !== 0) broken.push(one.name);
      return broken;
    } finally {
      await opened.db.query('ROLLBACK');
    }
  }

  it.each(BREAKS)('%s are found, and nothing else of their kind (%s)', async (name, change) => {
    const check = INVARIANTS.find((invariant) => invariant.name === name)?.check ?? 'work';
    expect(await brokenBy(change, check)).toEqual([name]);
  });

  it('are each broken by one of these changes', () => {
    expect([...new Set(BREAKS.map(([name]) => name))].sort()).toEqual(INVARIANTS.map(({ name }) => name).sort());
  });

  it('are named with the run, and as no fault of the user', async () => {
    await opened.db.query(`UPDATE run_totals SET pass = pass + 1`);
    const found = await inspect();
    await opened.db.query(`UPDATE run_totals SET pass = pass - 1`);
    expect(problems(found)).toEqual(['totals that are not the sums over the jobs: run r1, task task, model model']);
  });

  it('are not looked for in the totals of a run that is half pruned', async () => {
    await opened.db.query(`BEGIN; UPDATE run_totals SET total = 0; UPDATE runs SET pruned_at_ms = 1; COMMIT`);
    expect(named(await inspect(), 'totals')).toMatchObject([{ status: 'ok' }]);
  });
});
