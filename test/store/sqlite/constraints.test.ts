import { afterEach, beforeEach, expect, it } from 'vitest';
import { Bench, Clock } from '../bench.ts';
import { failure, job, jobOfKey } from '../rows.ts';
import { openTempStore, type SqliteBench } from './open-store.ts';

let opened: SqliteBench;
let bench: Bench;

beforeEach(async () => {
  const clock = new Clock();
  opened = await openTempStore(clock.read);
  bench = new Bench(opened.store, clock);
  await bench.plan('r1', [jobOfKey('j1', 0, 'k'), jobOfKey('j2', 1, 'k'), job('j3', 2)]);
});
afterEach(() => opened.dispose());

const refused = (text: string) => expect(() => opened.db.exec(text)).toThrow();

it('the database itself refuses what cannot be', async () => {
  const claim = await bench.claimed('r1');
  // Two flights of one key, also under two names of it in one run, a running step without a lease, a lease without a running step.
  refused(`UPDATE steps SET state = 'running', lease_token = 't', lease_owner = 'w', leased_at_ms = 1, lease_expires_at_ms = 1, deadline_at_ms = 1
    WHERE job_id = 'j2'`);
  refused(`UPDATE steps SET state = 'running', lease_token = 't', lease_owner = 'w', leased_at_ms = 1, lease_expires_at_ms = 1, deadline_at_ms = 1,
    flight_key = 'k|r1' WHERE job_id = 'j2'`);
  refused(`UPDATE steps SET lease_token = NULL WHERE lease_token = '${claim.token}'`);
  refused(`UPDATE steps SET state = 'queued' WHERE lease_token = '${claim.token}'`);
  // Verdicts that contradict states, an end without a time, a call that is sent without a time.
  refused(`UPDATE jobs SET verdict = 'error' WHERE job_id = 'j3'`);
  refused(`UPDATE jobs SET state = 'succeeded' WHERE job_id = 'j3'`);
  refused(`UPDATE jobs SET state = 'cancelled' WHERE job_id = 'j3'`);
  refused(`UPDATE calls SET state = 'sent'`);
  // Two unfinished runs of one identity.
  refused(`INSERT INTO runs SELECT 'r2', identity, 1, name, state, manifest_path, manifest, settings, aggregates, out_dir, created_at_ms,
    planned_at_ms, finished_at_ms, summary_at_ms, fresh_after_ms FROM runs`);
});

it('an attempt is never changed', async () => {
  await bench.fail(await bench.claimed('r1'), failure());
  expect(() => opened.db.exec(`UPDATE attempts SET outcome = 'succeeded'`)).toThrow('appended, never changed');
});
