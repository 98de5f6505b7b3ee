import { UserError } from '../domain/errors.ts';

/** Jobs of a run that wait or run; of one that is being planned also those that are not in yet. */
export type OpenJobs = { readonly runId: string; readonly open: number };

/** `runs`: those of a store that have such jobs, the most first. */
export type QueueDepth = { readonly runs: readonly OpenJobs[]; readonly added: number; readonly most: number };

/** Runs that are named: those that hold the most. */
const NAMED = 3;

const REFUSED = 7;

/** Throws `UserError` (E48, exit 7) when more jobs would wait or run than may. */
export function refuseFullQueue({ runs, added, most }: QueueDepth): void {
  const open = runs.reduce((sum, run) => sum + run.open, 0);
  if (open + added <= most) return;
  throw new UserError({
    code: 'E48',
    exitCode: REFUSED,
    message: `the queue is full: ${open} jobs wait or run${namesOf(runs)}, and ${added} more would be above maxQueueDepth = ${most}. Nothing was queued or spent.`,
    next: ['aieval status --all', ...dropping(runs), `the same command once fewer wait, or with --max-queue-depth ${open + added}`],
  });
}

function namesOf(runs: readonly OpenJobs[]): string {
  if (runs.length === 0) return '';
  const named = runs.slice(0, NAMED).map(({ runId, open }) => `${runId}: ${open}`);
  return ` (${[...named, ...(runs.length > NAMED ? ['…'] : [])].join(', ')})`;
}

/** A run of which nobody wants the rest stands in the way until somebody says so. */
function dropping([most]: readonly OpenJobs[]): readonly string[] {
  return most === undefined ? [] : [`aieval cancel ${most.runId}, if the rest of it is not wanted`];
}
