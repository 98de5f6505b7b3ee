import { UserError } from '../domain/errors.ts';

/** Jobs that wait or run, of all runs of a store; of a run that is being planned also those that are not in yet. */
export type QueueDepth = { readonly open: number; readonly added: number; readonly most: number };

const REFUSED = 7;

/** Throws `UserError` (E48, exit 7) when more jobs would wait or run than may. */
export function refuseFullQueue({ open, added, most }: QueueDepth): void {
  if (open + added <= most) return;
  throw new UserError({
    code: 'E48',
    exitCode: REFUSED,
    message: `the queue is full: ${open} jobs wait or run, and ${added} more would be above maxQueueDepth = ${most}. Nothing was queued or spent.`,
    next: ['aieval status --all', `the same command once fewer wait, or with --max-queue-depth ${open + added}`],
  });
}
