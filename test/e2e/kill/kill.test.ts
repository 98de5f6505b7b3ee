import { afterEach, expect, test } from 'vitest';
import { project } from '../project.ts';
import { eventsOf } from './evidence.ts';
import { Killer } from './killer.ts';
import { startOracle } from './oracle.ts';
import { seeded } from './random.ts';
import { judge } from './verdict.ts';
import { Work } from './work.ts';

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
  const oracle = await startOracle(SEED);
  undo.push(oracle.close);
  const place = project();
  undo.push(place.remove);
  const work = new Work(place, oracle.baseUrl, seeded(SEED, 'work'));
  const killer = new Killer({ place, oracle, work, random: seeded(SEED, 'blows'), seconds: SECONDS, processes: PROCESSES });
  undo.push(() => killer.close());

  const { fleet, rows, broken, counts } = await killer.rage();
  const { records, disturbances } = fleet;
  const verdict = judge({ rows, calls: oracle.calls, disturbances, records, retries: work.retries });
  const lost = records.flatMap(({ ended }) => eventsOf(ended.stdout)).filter(({ event }) => event === 'lease.lost');
  const report = {
    seed: SEED,
    processes: fleet.started,
    calls: oracle.calls.length,
    runs: verdict.runs,
    jobs: verdict.jobs,
    repeats: verdict.repeats,
    'repeats of undisturbed processes': verdict.repeatsOfOthers,
    'stale settles refused': lost.filter(({ resultKept }) => resultKept === true).length,
    'leases lost before sending': lost.filter(({ resultKept }) => resultKept === false).length,
    ...counts,
  };
  console.log(`kill test: ${JSON.stringify(report, null, 2)}`);

  expect([...broken, ...verdict.violations].slice(0, 20)).toEqual([]);
  expect(counts.SIGKILL).toBeGreaterThanOrEqual(IS_SOAK ? 20 : 3);
  expect(counts['freezes longer than a lease']).toBeGreaterThanOrEqual(IS_SOAK ? 10 : 1);
});
