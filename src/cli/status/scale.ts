import { UserError } from '../../domain/errors.ts';
import { jsonLine } from '../../domain/hostile-text.ts';
import { type Desired, desiredWorkers, type Load, type ScaleReason, type ScaleWish } from '../../domain/scale.ts';
import type { ScaleOptions } from '../commands/options.ts';
import { withStore } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import type { Globals } from '../globals.ts';
import type { CliIo } from '../io.ts';
import { asTyped } from '../lead.ts';
import { counted } from '../terminal/format.ts';
import { loadOf, type OtherWork, otherWork, readFleet } from './fleet.ts';

const MINUTE_MS = 60_000;

/** `aieval scale`: the number of workers that should be there, alone on stdout; on stderr why. Returns the exit code. */
export async function scaleCommand(io: CliIo, globals: Globals, options: ScaleOptions): Promise<number> {
  if (options.min > options.max) throw minAboveMax(options);
  return await withStore(io, globals, async (store) => {
    const wish = { targetMs: options.target * MINUTE_MS, min: options.min, max: options.max };
    const { tags = [] } = options;
    const fleet = await readFleet(store, tags);
    const load = loadOf(fleet, { nowMs: io.now(), targetMs: wish.targetMs, concurrency: options.concurrency ?? null });
    const desired = desiredWorkers(load, wish);
    const left = { tags, others: otherWork(fleet) };
    io.stdout.write(globals.json ? `${jsonLine({ ...scaleRecord(load, wish, desired), ...leftRecord(left) })}\n` : `${desired.workers}\n`);
    if (!globals.json && !globals.quiet)
      for (const line of reasonLines(load, desired, left)) io.stderr.write(`${asTyped(line, io.notes.lead)}\n`);
    return EXIT.pass;
  });
}

/** The object that `scale --json` prints. Fields are only ever added. */
function scaleRecord(load: Load, { targetMs, min, max }: ScaleWish, { workers, why }: Desired): object {
  const { queued, running, jobMs, workersAlive, workersHolding, concurrency, mostRunning } = load;
  const wish = { targetMinutes: targetMs / MINUTE_MS, min, max };
  return { v: 1, workers, why, alive: workersAlive, holding: workersHolding, queued, running, jobMs, concurrency, mostRunning, ...wish };
}

/** The tags of the workers that are meant, and work that these cannot do. */
type Left = { readonly tags: readonly string[]; readonly others: readonly OtherWork[] };

function leftRecord({ tags, others }: Left): object {
  const waitingForTags = others.map(({ tags: needed, count, workersAlive: alive }) => ({ tags: needed, count, alive }));
  return { tags, waitingForTags };
}

const WHY: Record<ScaleReason, string> = {
  idle: 'nothing is open',
  unmeasured: 'no call of what is open was timed yet',
  up: 'more are needed',
  down: 'fewer will do',
  steady: 'near enough',
  holding: 'those that are there hold work',
};

function reasonLines(load: Load, { why }: Desired, left: Left): string[] {
  const { queued, running, jobMs, workersAlive, mostRunning } = load;
  const whose = left.tags.length + left.others.length === 0 ? '' : ` ${tagged(left.tags)}`;
  const reason = why === 'idle' && whose !== '' ? `nothing is open for workers${whose}` : WHY[why];
  const time = jobMs === null ? '' : `, ${(jobMs / 1000).toFixed(1)} s each`;
  const limits = mostRunning === null ? '' : `; limits let ${mostRunning} run`;
  return [
    `${reason}: ${counted(workersAlive, 'worker')}${why === 'idle' ? '' : whose} alive`,
    `${queued} queued, ${running} running${time}${limits}`,
    ...left.others.map(otherLine),
  ];
}

function tagged(tags: readonly string[]): string {
  return tags.length === 0 ? 'without tags' : `with tags ${tags.join(', ')}`;
}

/** Work that is not counted, and the command that counts it. */
function otherLine({ tags, count, workersAlive }: OtherWork): string {
  const who =
    workersAlive === 0
      ? 'which no living worker has'
      : `which ${counted(workersAlive, 'living worker')} ${workersAlive === 1 ? 'has' : 'have'}`;
  return `${count} more ${count === 1 ? 'waits' : 'wait'} for tags ${tags.join(', ')}, ${who}: aieval scale --tags ${tags.join(',')}`;
}

function minAboveMax({ min, max }: ScaleOptions): UserError {
  return new UserError({
    code: 'E00',
    exitCode: EXIT.usage,
    message: `--min ${min} is above --max ${max}`,
    next: [`aieval scale --min ${min} --max ${min}`],
  });
}
