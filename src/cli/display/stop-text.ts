import { type BudgetBound, budgetBounds, roundedUpUsd } from '../../domain/budget-bounds.ts';
import { oneLine } from '../../domain/hostile-text.ts';
import { usdOf } from '../../domain/money.ts';
import type { Reason } from '../../domain/reason.ts';
import type { RunRow, RunTotals, Waiting } from '../../store/rows.ts';
import type { RunHere } from '../run/run-here.ts';
import { afterMending, canStart, continueLine, runLine, workerLine } from '../run/run-line.ts';
import { causeOf, mainWait } from '../status/stop-cause.ts';
import { counted, duration, moneyTexts, timeText, untilText } from '../terminal/format.ts';
import { shellWord } from '../terminal/shell-word.ts';
import { boundText } from './budget-text.ts';
import { laneName, waitingText } from './waiting-text.ts';

/** A call that is left, with the most that it can cost. */
export type NextCall = { readonly model: string; readonly nanoUsd: number };

/** A run that ended with work left, because what it waits for does not come by itself, or not soon. */
export type Stopped = {
  readonly run: RunHere;
  readonly totals: RunTotals;
  /** What its open work waits for. */
  readonly waiting: readonly Waiting[];
  /** The most that its open calls can cost, where that is known. */
  readonly openNanoUsd: number | null;
  readonly nextCall?: NextCall | null | undefined;
  readonly nowMs: number;
  readonly cwd: string;
  /** Who ended the process, where it was not the waits; absent: they did. */
  readonly endedBy?: string | null;
};

/** Why it stopped, and what to type. */
export type StopText = { readonly text: string; readonly next: readonly string[] };

/**
 * What stopped a run, the reason that holds the most jobs first in line; `null` when nothing did. Where somebody ended it, that is the
 * reason, and what its open work waits for stands beside it.
 */
export function stopText(stopped: Stopped): StopText | null {
  const first = mainWait(stopped.waiting);
  if (first === null) return null;
  const { text, next } = reasonOf(first, stopped);
  const { jobs } = stopped.totals;
  const code = codeOf(first);
  const coded = code === null ? '' : ` (${code})`;
  const left = `${counted(jobs.queued + jobs.running, 'job')} left`;
  const { endedBy = null } = stopped;
  return {
    text: endedBy === null ? `stopped${coded}: ${text}, ${left}` : `stopped by ${endedBy}, ${left}; besides${coded}: ${text}`,
    next,
  };
}

function reasonOf(waiting: Waiting, stopped: Stopped): StopText {
  switch (causeOf(waiting)) {
    case 'budget':
      return atBudget(waiting, stopped);
    case 'failFast':
      return { text: failFastText(waiting, stopped.run), next: [`mend the cause, then: ${afterFailures(stopped)}`] };
    case 'tags':
      return { text: waitingText(waiting, stopped.nowMs), next: [workerLine(stopped.run, [waiting])] };
    default:
      return waiting.untilMs === null
        ? { text: waitingText(waiting, stopped.nowMs), next: mending(stopped, waiting) }
        : { text: untilThen(waiting, waiting.untilMs, stopped), next: [atThatTime(waiting.untilMs, stopped), ...staying(stopped)] };
  }
}

function atBudget({ why }: Waiting, stopped: Stopped): StopText {
  const { budget } = stopped.totals;
  const bound = budget === null ? undefined : budgetBounds(budget).find(({ kind }) => kind === why);
  const next = [...raising(bound, stopped), ...settling(stopped)];
  return { text: bound === undefined ? 'budget reached' : budgetText(bound, stopped), next };
}

/** A budget of which something is left is not reached: it is the next call that may take more. */
function budgetText(bound: BudgetBound, { run, nextCall = null }: Stopped): string {
  const { kind, used, limit } = bound;
  const stated = kind === 'budget_usd' && run.manifest.budget?.ofStart === true ? ' of --max-cost' : '';
  if (kind !== 'budget_usd' || nextCall === null || nextCall.nanoUsd <= limit - used)
    return `budget reached (${boundText(bound)}${stated})`;
  const [worst, left, all] = moneyTexts([nextCall.nanoUsd, Math.max(0, limit - used), limit]);
  return `budget: the next call (${oneLine(nextCall.model)}, at most ${worst}) does not fit the ${left} that is left of ${all}${stated}`;
}

function failFastText({ message }: Waiting, { settings }: RunRow): string {
  const { afterFailures = 0 } = settings.failFast ?? {};
  return `failFast (afterFailures = ${afterFailures})${message === null ? '' : `: ${message} since this start`}`;
}

/** Failures count anew from a start of the run, or from a retry, which goes on with all that is open, too. */
function afterFailures({ run, cwd }: Stopped): string {
  return canStart(run) ? runLine(run, cwd) : `aieval retry ${run.runId}`;
}

function mending({ run, cwd, waiting: all }: Stopped, waiting: Waiting): string[] {
  return [`${mendingStep(run.manifest, waiting) ?? 'mend the cause'}, then: ${afterMending(run, cwd, all)}`];
}

function goingOn({ run, cwd, waiting }: Stopped): string {
  return continueLine(run, cwd, waiting);
}

/** What a person can do about a pause that time does not end. A lane is named as its provider, with its group behind it. */
function mendingStep({ providers }: RunRow['manifest'], { reason = null, lane = null }: Waiting): string | null {
  const provider = providers[lane?.split('/')[0] ?? ''];
  if (reason === 'quota') return 'add credit';
  if (reason !== 'auth' || provider === undefined) return null;
  return provider.apiKeyEnv === null ? `set providers.${provider.id}.apiKeyEnv` : `put a valid key into ${provider.apiKeyEnv}`;
}

const CODES: Partial<Record<Reason, string>> = {
  auth: 'E12',
  model_unknown: 'E13',
  wrong_url: 'E14',
  connection: 'E14',
  quota: 'E15',
  rate_limited: 'E16',
};

/** The catalogue's number for what stopped a run; `null` where it has none. */
function codeOf(waiting: Waiting): string | null {
  return causeOf(waiting) === 'provider' ? (CODES[waiting.reason ?? 'cancelled'] ?? null) : null;
}

/** Who wants the wait: the provider, or limits that were stated to us. */
function untilThen(waiting: Waiting, untilMs: number, { run, nowMs }: Stopped): string {
  const [lane, until] = [laneName(waiting), untilText(untilMs, nowMs)];
  const message = waiting.message === null ? '' : oneLine(waiting.message);
  const longer = `longer than retry.maxWaitMs = ${duration(run.settings.retry.maxWaitMs)}`;
  const cause = causeOf(waiting);
  if (cause === 'limits') return `the next call to ${lane} must wait until ${until}${message === '' ? '' : ` for ${message}`}, ${longer}`;
  if (cause === 'retry') return `the next try must wait until ${until}, ${longer}`;
  return `${lane} ${stateText(waiting)} until ${until}${message === '' ? '' : `: ${message}`}`;
}

function stateText({ why, reason = null }: Waiting): string {
  if (why === 'lane_breaker') return 'is failing, and not tried again';
  return reason === null || reason === 'rate_limited' ? 'asks to wait' : 'is paused';
}

function atThatTime(untilMs: number, stopped: Stopped): string {
  return `after ${timeText(untilMs, stopped.nowMs)}: ${goingOn(stopped)}`;
}

/** A worker stays anyhow. */
function staying({ run, cwd }: Stopped): string[] {
  return canStart(run) ? [runLine(run, cwd, ['--wait'])] : [];
}

/** A run that lost its identity takes no new bounds: nobody can start it by its manifest. Nor does one of a worker, which has none. */
function raising(bound: BudgetBound | undefined, stopped: Stopped): string[] {
  const { run, cwd, openNanoUsd } = stopped;
  const again = run.holdsIdentity ? runLine(run, cwd) : goingOn(stopped);
  switch (bound?.kind) {
    case 'budget_usd':
      return run.holdsIdentity ? [runLine(run, cwd, ['--max-cost', String(higherUsd(bound, openNanoUsd))])] : [];
    case 'budget_tokens':
      return [`raise budget.tokens, then: ${again}`];
    case 'budget_minutes':
      return [`raise budget.minutes, then: ${again}`];
    case 'budget_group':
      return [`raise budget.group.usd, then: ${again}`, `aieval budget reset ${shellWord(bound.group?.name ?? '')}`];
    default:
      return [again];
  }
}

/** Enough for all that is open, so that the run is not stopped again by the next call. */
function higherUsd({ used, limit }: BudgetBound, openNanoUsd: number | null): number {
  return roundedUpUsd(usdOf(openNanoUsd === null ? 2 * Math.max(used, limit) : Math.max(limit, used + openNanoUsd)));
}

/** What is held back for calls whose outcome nobody knows may be what is missing. */
function settling({ run, totals: { cost } }: Stopped): string[] {
  return cost.uncertainNanoUsd > 0 ? [settleLine(run)] : [];
}

/** The command that books calls whose outcome nobody knows. */
export function settleLine({ runId }: Pick<RunRow, 'runId'>): string {
  return `aieval budget settle-unknown ${runId} --at expected`;
}
