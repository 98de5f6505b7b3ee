import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { afterEach, expect, test } from 'vitest';
import { BreakingProxy } from '../../store/postgres/proxy.ts';
import { OwnServer } from '../../store/postgres/server.ts';
import { project } from '../project.ts';
import { fight } from './battle.ts';
import type { StoreBlow } from './killer.ts';
import { serverBase } from './server-base.ts';

/** `npm run test:soak` makes it longer. */
const SECONDS = Number(process.env.AIEVAL_SOAK_SECONDS ?? 60);
const PROCESSES = 8;
const SEED = Number(process.env.AIEVAL_SOAK_SEED ?? Date.now() % 1_000_000);
const PATIENCE_MS = 400_000;
const SCHEMA = 'battle';
const AWAY_MS = 3000;

const undo: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

/** Half of the connections of the processes, as of a server that is short of memory. */
const TERMINATE = `
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE application_name = 'aieval' AND backend_type = 'client backend' AND random() < 0.5`;

test(`${PROCESSES} processes on a PostgreSQL server, killed and frozen at random for ${SECONDS} s, behind a network that breaks and a server that is started anew, lose no answer, double none, and repeat only what was in flight`, {
  timeout: 2 * SECONDS * 1000 + PATIENCE_MS,
}, async () => {
  const afterwards = (step: () => void | Promise<void>) => void undo.push(step);
  const server = new OwnServer();
  afterwards(() => server.remove());
  await server.start();
  const url = server.url(SCHEMA);
  const proxy = new BreakingProxy(url);
  afterwards(() => proxy.close());
  const store = await proxy.location(url);

  const terminate = async () => {
    const direct = new URL(url);
    direct.searchParams.delete('schema');
    const db = new Client({ connectionString: direct.href, application_name: 'strikes' });
    await db.connect();
    await db.query(TERMINATE);
    await db.end();
  };
  const away = (way: 'cut' | 'stalled') => async () => {
    proxy.become(way);
    await pause(AWAY_MS);
    proxy.become('open');
  };
  const restart = async () => {
    await server.stop('SIGINT');
    await server.start();
  };
  const storeBlows: readonly StoreBlow[] = [
    { name: 'connections ended by the server', deal: terminate },
    { name: 'absences behind a silent network', deal: away('stalled') },
    { name: 'absences', deal: away('cut') },
    { name: 'restarts of the server', deal: restart },
  ];
  const place = project({ env: { AIEVAL_STORE: store } });
  afterwards(place.remove);
  const env = { AIEVAL_STORE: store, XDG_STATE_HOME: join(place.dir, 'state') };
  const how = { seconds: SECONDS, processes: PROCESSES, seed: SEED, afterwards };
  const { wrong, counts } = await fight({ place, base: serverBase(env, url), storeBlows, batchSize: 20, ...how });

  expect(wrong).toEqual([]);
  expect(counts.SIGKILL).toBeGreaterThanOrEqual(3);
  expect(counts['freezes longer than a lease']).toBeGreaterThanOrEqual(1);
  for (const { name } of storeBlows) expect(counts[name], name).toBeGreaterThanOrEqual(1);
});
