import { afterEach, beforeEach, expect, it } from 'vitest';
import { Bench, Clock } from '../../bench.ts';
import { failure, job, jobOfKey } from '../../rows.ts';
import { openTempStore, type SqliteBench } from '../open-store.ts';

let opened: SqliteBench;
let bench: Bench;

beforeEach(async () => {
  const clock = new Clock();
  opened = await openTempStore(clock.read);
  bench = new Bench(opened.store, clock);
  await bench.plan('r1', [jobOfKey('j1', 0, 'k'), jobOfKey('j2', 1, 'k'), job('j3', 2)]);
});
afterEach(() => opened.dispose());

/** With the words of the constraint that refuses: a statement that is wrong for another reason proves nothing. */
const refused = (text: string, why: RegExp) => expect(() => opened.db.exec(text)).toThrow(why);

const LEASED = `state = 'running', lease_token = 't', lease_owner = 'w', leased_at_ms = 1, lease_expires_at_ms = 1, deadline_at_ms = 1`;

it('the database itself refuses two running steps of one key, over all runs', async () => {
  await bench.claimed('r1');
  refused(`UPDATE steps SET ${LEASED} WHERE job_id = 'j2'`, /UNIQUE.*steps\.(flight_key|key)/);
  opened.db.exec('DROP INDEX steps_one_flight_in_run');
  refused(`UPDATE steps SET ${LEASED} WHERE job_id = 'j2'`, /UNIQUE.*steps\.flight_key/);
});

it('the database itself refuses two running steps of one key in a run, whatever their flights are called', async () => {
  await bench.claimed('r1');
  refused(`UPDATE steps SET ${LEASED}, flight_key = 'k|r1' WHERE job_id = 'j2'`, /UNIQUE.*steps\.run_id, steps\.key/);
});

it('the database itself refuses two unfinished runs of one identity', async () => {
  opened.db.exec('CREATE TEMP TABLE another AS SELECT * FROM runs');
  opened.db.exec(`UPDATE another SET run_id = 'r2'`);
  refused('INSERT INTO runs SELECT * FROM another', /UNIQUE.*runs\.identity/);
});

it('the database itself refuses a second reduce of a job, unless the first is superseded', async () => {
  const insert = `
    INSERT INTO steps (run_id, job_id, kind, step_index, key, flight_key, lane_id, input_tokens, state, order_ms, seq, run_at_ms)
    SELECT run_id, job_id, 'reduce', 0, key, flight_key, lane_id, 1, 'queued', 1, 1, 1 FROM steps WHERE job_id = 'j3' AND kind = 'answer'`;
  opened.db.exec(insert);
  refused(insert, /UNIQUE.*steps\.run_id, steps\.job_id/);
  opened.db.exec(`UPDATE steps SET state = 'succeeded', outcome = 'superseded' WHERE kind = 'reduce'`);
  opened.db.exec(insert);
});

it('the database itself refuses a running step without a lease, and a lease without a running step', async () => {
  const { token } = await bench.claimed('r1');
  refused(`UPDATE steps SET lease_token = NULL WHERE lease_token = '${token}'`, /CHECK/);
  refused(`UPDATE steps SET state = 'queued' WHERE lease_token = '${token}'`, /CHECK/);
});

it('the database itself refuses verdicts against states, ends without a time, and calls sent at no time', async () => {
  await bench.claimed('r1');
  refused(`UPDATE jobs SET verdict = 'error' WHERE job_id = 'j3'`, /CHECK/);
  refused(`UPDATE jobs SET state = 'succeeded' WHERE job_id = 'j3'`, /CHECK/);
  refused(`UPDATE jobs SET state = 'cancelled' WHERE job_id = 'j3'`, /CHECK/);
  refused(`UPDATE calls SET state = 'sent'`, /CHECK/);
});

it('an attempt is never changed', async () => {
  await bench.fail(await bench.claimed('r1'), failure());
  expect(() => opened.db.exec(`UPDATE attempts SET outcome = 'succeeded'`)).toThrow('appended, never changed');
});

it('a judged answer holds what it cost, for when its call is gone', async () => {
  const claim = await bench.claimed('r1');
  await bench.call(claim);
  const costs = () => opened.db.prepare('SELECT cost_nano_usd FROM responses').pluck().all();
  expect(costs()).toEqual([null]);
  await bench.accept(claim);
  expect(costs()).toEqual([5000]);
});
