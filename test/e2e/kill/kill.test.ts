import { afterEach, expect, test } from 'vitest';
import { project } from '../project.ts';
import { fight } from './battle.ts';
import { fileBase } from './database.ts';

/** `npm run test:soak` makes these larger. A failure prints its seed; the same seed makes the same blows, not the same moments. */
const SECONDS = Number(process.env.AIEVAL_SOAK_SECONDS ?? 60);
const PROCESSES = Number(process.env.AIEVAL_SOAK_PROCESSES ?? 3);
const SEED = Number(process.env.AIEVAL_SOAK_SEED ?? Date.now() % 1_000_000);
const IS_SOAK = SECONDS >= 240;
/** For starts, the last freezes and the drain, on a slow machine; the drain grows with the work. */
const PATIENCE_MS = 300_000;

const undo: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

test(`${PROCESSES} processes, killed and frozen at random for ${SECONDS} s, lose no answer, double none, and repeat only what was in flight`, {
  timeout: 2 * SECONDS * 1000 + PATIENCE_MS,
}, async () => {
  const place = project();
  const afterwards = (step: () => void | Promise<void>) => void undo.push(step);
  afterwards(place.remove);
  const how = { seconds: SECONDS, processes: PROCESSES, seed: SEED, afterwards };
  const { wrong, counts } = await fight({ place, base: fileBase(place.dir), storeBlows: [], batchSize: 60, ...how });

  expect(wrong).toEqual([]);
  expect(counts.SIGKILL).toBeGreaterThanOrEqual(IS_SOAK ? 20 : 3);
  expect(counts['freezes longer than a lease']).toBeGreaterThanOrEqual(IS_SOAK ? 10 : 1);
});
