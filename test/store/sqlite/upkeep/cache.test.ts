import { expect, it } from 'vitest';
import { Clock } from '../../bench.ts';
import { openTempStore } from '../open-store.ts';

const FILL = `
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
INSERT INTO key_records (key, record) SELECT printf('%064d', i), json_object('model', iif(i % 2, 'odd', 'even')) FROM n;
INSERT INTO responses (call_token, run_id, job_id, key, step_kind, completion, latency_ms, recorded_at_ms, judgement, judged_at_ms, answer)
SELECT 'call ' || key, 'gone', 'j', key, 'answer', '{}', 1, 1, 'valid', 1, '1' FROM key_records;
INSERT INTO cache (key, call_token, stored_at_ms) SELECT key, call_token, 1 FROM responses;`;

it('a large cache is invalidated page by page, to its last key', async () => {
  const opened = await openTempStore(new Clock().read);
  opened.db.exec(FILL);
  const selection = { model: 'even', namespace: null, endpoint: null, storedBeforeMs: null };
  expect(await opened.store.invalidateCache(selection)).toEqual({ entries: 1250, knownBad: 0 });
  expect((await opened.store.cacheStats()).byModel).toMatchObject([{ model: 'odd', entries: 1250, paidNanoUsd: 0 }]);
  expect(await opened.store.invalidateCache({ ...selection, model: null })).toEqual({ entries: 1250, knownBad: 0 });
  expect(await opened.store.pruneUnused({ dryRun: false })).toMatchObject({ rows: 5000 });
  expect(opened.db.prepare('SELECT count(*) FROM responses').pluck().get()).toBe(0);
  await opened.dispose();
});
