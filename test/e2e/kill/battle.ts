import type { Project } from '../project.ts';
import type { Base } from './database.ts';
import { eventsOf } from './evidence.ts';
import { Killer, type StoreBlow } from './killer.ts';
import { startOracle } from './oracle.ts';
import { seeded } from './random.ts';
import { judge } from './verdict.ts';
import { Work } from './work.ts';

export type Battle = {
  readonly place: Project;
  readonly base: Base;
  readonly storeBlows: readonly StoreBlow[];
  readonly batchSize: number;
  readonly seconds: number;
  readonly processes: number;
  readonly seed: number;
  /** Registers what is to be done afterwards, the latest first. */
  readonly afterwards: (step: () => void | Promise<void>) => void;
};

/** Lets processes work while they are killed, and tells what is wrong at the end, and how often what was done. */
export async function fight(
  battle: Battle,
): Promise<{ readonly wrong: readonly string[]; readonly counts: Readonly<Record<string, number>> }> {
  const { place, base, batchSize, seconds, processes, seed, afterwards } = battle;
  const oracle = await startOracle(seed);
  afterwards(oracle.close);
  const work = new Work(place, { baseUrl: oracle.baseUrl, batchSize, random: seeded(seed, 'work') });
  const { storeBlows } = battle;
  const killer = new Killer({ place, base, storeBlows, oracle, work, random: seeded(seed, 'blows'), seconds, processes });
  afterwards(() => killer.close());

  const { fleet, rows, broken, counts } = await killer.rage();
  const { records, disturbances } = fleet;
  const verdict = await judge({ rows, calls: oracle.calls, disturbances, records, retries: work.retries });
  const lost = records.flatMap(({ ended }) => eventsOf(ended.stdout)).filter(({ event }) => event === 'lease.lost');
  const report = {
    seed,
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
  return { wrong: [...broken, ...verdict.violations].slice(0, 20), counts };
}
