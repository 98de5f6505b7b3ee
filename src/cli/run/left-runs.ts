import { LONGEST_PLAN_MS } from '../../engine/work-all.ts';
import type { RunRow, UnreadableRun, Waiting } from '../../store/rows.ts';
import { isReadable, unreadableAdvice } from '../../store/stored-run.ts';
import { taggedLine } from '../display/stop-text.ts';
import { EXIT } from '../exit-codes.ts';
import { continueLine } from './run-line.ts';

/** An unfinished run that a worker without work leaves behind, and what a person can do about it. */
export type LeftRun = {
  readonly runId: string;
  /**
   * - `paused`: by a person
   * - `unplanned`: whoever planned it is gone, and only `run` has its documents
   * - `refused`: something that it needs, a key or a server, is missing here
   * - `budget`: it has reached its budget
   * - `tags`: all that is left needs a worker with tags that this one has not, and that none has
   * - `unreadable`: another version wrote it, or somebody else
   * - `blocked`: all that is left waits for providers that are paused, or its failures stopped it
   */
  readonly why: 'paused' | 'unplanned' | 'refused' | 'budget' | 'tags' | 'unreadable' | 'blocked';
  readonly exitCode: number;
  readonly next: string;
};

/** What a worker of all runs has met. */
export type Met = {
  /** Runs that could not be worked on here, with the exit code of what was missing. */
  readonly refused: ReadonlyMap<string, number>;
  readonly blocked: readonly { readonly run: RunRow; readonly waiting: readonly Waiting[] }[];
  /** Whether machines share the store: the manifest is a file of whoever started the run. */
  readonly shared: boolean;
  readonly cwd: string;
  readonly nowMs: number;
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

function leftRun(run: RunRow, { refused, blocked, shared, cwd, nowMs }: Met): LeftRun | null {
  const { runId } = run;
  const again = shared && run.plannedAtMs !== null ? `aieval worker ${runId}` : continueLine(run, cwd);
  if (run.state === 'paused') return { runId, why: 'paused', exitCode: EXIT.incomplete, next: `aieval resume ${runId}` };
  if (isAbandonedPlan(run, nowMs)) return { runId, why: 'unplanned', exitCode: EXIT.incomplete, next: again };
  if (run.state !== 'open' && run.state !== 'planning') return null;
  const refusal = refused.get(runId);
  if (refusal !== undefined) return { runId, why: 'refused', exitCode: refusal, next: again };
  const waiting = blocked.find((one) => one.run.runId === runId)?.waiting;
  if (waiting === undefined) return null;
  if (waiting.some(({ why }) => why.startsWith('budget_')))
    return { runId, why: 'budget', exitCode: EXIT.budget, next: `aieval status ${runId}` };
  const tagged = waiting.find(({ why }) => why === 'tags');
  if (tagged !== undefined) return { runId, why: 'tags', exitCode: EXIT.incomplete, next: taggedLine(run, tagged) };
  return { runId, why: 'blocked', exitCode: EXIT.incomplete, next: again };
}

/** Only `run` has the documents to plan a run to its end. */
export function isAbandonedPlan({ state, createdAtMs }: RunRow, nowMs: number): boolean {
  return state === 'planning' && nowMs - createdAtMs >= LONGEST_PLAN_MS;
}

const WHY: Record<LeftRun['why'], string> = {
  paused: 'is paused',
  unplanned: 'was not planned to its end',
  refused: 'cannot be worked on here',
  budget: 'has reached its budget',
  tags: 'needs a worker with other tags',
  unreadable: 'cannot be read by this version',
  blocked: 'waits for a provider that is paused, or for somebody to look at its failures',
};

/** The run for a person, and what to type. */
export function leftText({ runId, why, next }: LeftRun): string {
  return `run ${runId} is left: it ${WHY[why]}\nnext: ${next}\n`;
}
