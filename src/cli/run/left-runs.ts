import type { UserError } from '../../domain/errors.ts';
import type { RunRow, UnreadableRun, Waiting } from '../../store/rows.ts';
import { isReadable, unreadableAdvice } from '../../store/stored-run.ts';
import { EXIT } from '../exit-codes.ts';
import { enqueuedText, type PlanProgress } from '../jobs/plan-progress.ts';
import { continueLine, workerLine } from './run-line.ts';

/** An unfinished run that a worker without work leaves behind, and what a person can do about it. */
export type LeftRun = {
  readonly runId: string;
  /**
   * - `paused`: by a person
   * - `unplanned`: whoever planned it is gone, and only `run` has its documents; what is in is done
   * - `refused`: something that it needs, a key or a server, is missing here
   * - `budget`: it has reached its budget
   * - `tags`: all that is left needs a worker with tags that this one has not, and that none has
   * - `unreadable`: another version wrote it, or somebody else
   * - `blocked`: all that is left waits for providers that are paused, or its failures stopped it
   */
  readonly why: 'paused' | 'unplanned' | 'refused' | 'budget' | 'tags' | 'unreadable' | 'blocked';
  readonly exitCode: number;
  /** Of `refused`: the number of the error, which the manual explains. */
  readonly code?: string;
  readonly next: string;
  /** Of one that is `unplanned`. */
  readonly plan?: PlanProgress;
};

/** Why a run could not be worked on here, and what cures it. */
type Refusal = Pick<UserError, 'code' | 'exitCode' | 'next'>;

/** What a worker of all runs has met. */
export type Met = {
  /** Runs that could not be worked on here, with what was missing. */
  readonly refused: ReadonlyMap<string, Refusal>;
  /** The command that was typed. */
  readonly again: string;
  readonly blocked: readonly { readonly run: RunRow; readonly waiting: readonly Waiting[] }[];
  /** Runs whose plan broke off and of which all that is in is done. */
  readonly unplanned: ReadonlyMap<string, PlanProgress>;
  /** Whether machines share the store: the manifest is a file of whoever started the run. */
  readonly shared: boolean;
  readonly cwd: string;
};

/** Those of the runs that need a person, as they were given. */
export function leftRuns(runs: readonly (RunRow | UnreadableRun)[], met: Met): readonly LeftRun[] {
  return runs.flatMap((run) => (isReadable(run) ? leftRun(run, met) : unreadable(run)) ?? []);
}

function unreadable(run: UnreadableRun): LeftRun | null {
  const { runId, state } = run;
  if (state === 'finished' || state === 'cancelled') return null;
  return { runId, why: 'unreadable', exitCode: EXIT.storage, next: unreadableAdvice(run).join('; ') };
}

function leftRun(run: RunRow, { refused, again: typed, blocked, unplanned, shared, cwd }: Met): LeftRun | null {
  const { runId } = run;
  const again = shared && run.plannedAtMs !== null ? `aieval worker ${runId}` : continueLine(run, cwd);
  if (run.state === 'paused') return { runId, why: 'paused', exitCode: EXIT.incomplete, next: `aieval resume ${runId}` };
  if (run.state !== 'open' && run.state !== 'planning') return null;
  const refusal = refused.get(runId);
  if (refusal !== undefined) {
    const { code, exitCode, next } = refusal;
    return { runId, why: 'refused', code, exitCode, next: curing(next, typed) };
  }
  const plan = unplanned.get(runId);
  if (plan !== undefined && run.state === 'planning') return { runId, why: 'unplanned', exitCode: EXIT.incomplete, next: again, plan };
  const waiting = blocked.find((one) => one.run.runId === runId)?.waiting;
  if (waiting === undefined) return null;
  if (waiting.some(({ why }) => why.startsWith('budget_')))
    return { runId, why: 'budget', exitCode: EXIT.budget, next: `aieval status ${runId}` };
  const tagged = waiting.find(({ why }) => why === 'tags');
  if (tagged !== undefined) return { runId, why: 'tags', exitCode: EXIT.incomplete, next: workerLine(run, [tagged]) };
  return { runId, why: 'blocked', exitCode: EXIT.incomplete, next: again };
}

/** What mends it, and the command again; some of what mends it is a worker itself. */
function curing([first]: readonly string[], typed: string): string {
  if (first === undefined) return typed;
  return first.startsWith('aieval worker') ? first : `${first}, then: ${typed}`;
}

const WHY: Record<LeftRun['why'], string> = {
  paused: 'is paused',
  unplanned: 'is enqueued in part only, and the machine of its manifest adds the rest',
  refused: 'cannot be worked on here',
  budget: 'has reached its budget',
  tags: 'needs a worker with other tags',
  unreadable: 'cannot be read by this version',
  blocked: 'waits for a provider that is paused, or for somebody to look at its failures',
};

/** The run for a person, and what to type. */
export function leftText({ runId, why, code, next, plan }: LeftRun): string {
  const number = code === undefined ? '' : ` (${code})`;
  const enqueued = plan === undefined ? '' : `; ${enqueuedText(plan)} are in`;
  return `run ${runId} is left: it ${WHY[why]}${number}${enqueued}\nnext: ${next}\n`;
}
