import { oneLine } from '../../domain/hostile-text.ts';
import { advised } from '../../domain/next-step.ts';
import type { EngineEvent } from '../../engine/events.ts';
import { shortJobId } from '../jobs/job-names.ts';
import { counted, money, roughly } from '../terminal/format.ts';
import { hanging } from '../terminal/hanging.ts';
import type { Paint } from '../terminal/style.ts';
import { cut, cutStart, pad } from '../terminal/width.ts';
import { packageVersion } from '../version.ts';
import { priceText } from './price-text.ts';

const TAG_COLUMNS = 9;
const NAME_COLUMNS = 40;
/** Of a wide terminal the name gets more. */
const NAME_SHARE = 0.35;
const SHORTEST_DETAIL = 10;

type Tagged = {
  readonly tag: string;
  readonly colour: 'red' | 'yellow';
  readonly name: string;
  readonly detail: string;
  /** Never cut. */
  readonly hint?: string;
};

/** What scrolls past above the panel for an event, no line wider than `columns`; `null` for what the panel itself shows. */
export function scrollLine(event: EngineEvent, columns: number, paint: Paint): string | null {
  if (event.kind === 'run.started') return cut(startedText(event), columns);
  if (event.kind === 'retry.planned') return hanging([retryText(event)], columns).join('\n');
  if (event.kind === 'stopping') return paint('yellow', cut(stoppingText(event), columns));
  if (event.kind === 'warning') return warningText(event.message, columns, paint);
  const tagged = taggedOf(event);
  return tagged === null ? null : taggedLine(tagged, columns, paint);
}

type Started = Extract<EngineEvent, { kind: 'run.started' }>;

function startedText({ runId, name, jobs, results, cached, joined, selected, plan }: Started): string {
  const run = joined ? `joined run ${runId}` : `run ${runId}`;
  const of = selected === undefined ? '' : ` of ${selected.allJobs} (${selected.options})`;
  const given = results === undefined ? '' : ` → ${counted(results, 'result')}`;
  const work = `${counted(jobs, 'job')}${of}${given}${cached !== null && cached > 0 ? `, ${cached} from cache` : ''}`;
  return [`aieval ${packageVersion()}`, oneLine(name), run, work, ...planText(plan)].join(' · ');
}

function planText(plan: Started['plan']): string[] {
  if (plan === undefined) return [];
  const { expectedNanoUsd: expected, budgetNanoUsd: budget } = plan;
  return [`plan ${expected === null ? 'price unknown' : money(expected)}${budget === null ? '' : ` of ${money(budget)}`}`];
}

/** What is about to be spent is told in full. */
function retryText(planned: Extract<EngineEvent, { kind: 'retry.planned' }>): string {
  const kept = planned.keepsResults ? ' The old results stay until the new ones are there.' : '';
  return `${counted(planned.jobs, 'job')} asked again: ${priceText(planned)}${kept}`;
}

function stoppingText({ inFlight, now, graceMs, byPerson }: Extract<EngineEvent, { kind: 'stopping' }>): string {
  if (now) return 'Stopping now: calls in flight are given up, the rest is saved.';
  const limit = graceMs === undefined ? '' : ` (≤ ${roughly(graceMs)})`;
  return `Stopping: ${counted(inFlight, 'call')} in flight${limit}.${byPerson === true ? ' Ctrl-C again to leave now.' : ''}`;
}

/** In full: it may hold a path, or a command to type, and is not told again. */
function warningText(message: string, columns: number, paint: Paint): string {
  return hanging([`warning: ${oneLine(message, 1000)}`], columns)
    .map((line) => paint('yellow', line))
    .join('\n');
}

function taggedOf(event: EngineEvent): Tagged | null {
  switch (event.kind) {
    case 'document.failed':
      return { tag: 'DOC', colour: 'yellow', name: event.documentId, detail: failureText(event) };
    case 'lane.paused':
      return {
        tag: 'STOP',
        colour: 'red',
        name: pausedName(event),
        detail: [event.failure.message || event.failure.reason, ...pausedSteps(event)].join(' → '),
      };
    case 'lease.lost':
      return { tag: 'LOST', colour: 'yellow', name: event.label, detail: event.resultKept ? 'the answer is kept' : 'given up' };
    case 'step.retry':
      return retryOf(event);
    case 'job.ended':
      return endedOf(event);
    default:
      return null;
  }
}

function pausedSteps({ fix, next }: Extract<EngineEvent, { kind: 'lane.paused' }>): string[] {
  return [fix, next ?? null].filter((step) => step !== null);
}

function pausedName({ provider, model }: Extract<EngineEvent, { kind: 'lane.paused' }>): string {
  return model === null ? provider : `${provider}, model ${model}`;
}

/** A rate that a server keeps is no trouble: its line in the panel counts that. A call that was given up is not tried again here. */
function retryOf({ label: name, jobId, failure }: Extract<EngineEvent, { kind: 'step.retry' }>): Tagged | null {
  if (failure.class === 'rate' || failure.reason === 'cancelled') return null;
  return { tag: 'RETRY', colour: 'yellow', name, detail: failureText(failure), hint: `show ${shortJobId(jobId)}` };
}

function endedOf(event: Extract<EngineEvent, { kind: 'job.ended' }>): Tagged | null {
  if (event.state === 'cancelled' || event.verdict === 'pass') return null;
  const { label: name, error } = event;
  const hint = `show ${shortJobId(event.jobId)}`;
  if (error !== null) return { tag: 'DLQ', colour: 'red', name, detail: failureText(error), hint };
  const [tag, colour] = event.verdict === 'review' ? (['REVIEW', 'yellow'] as const) : (['FAIL', 'red'] as const);
  return { tag, colour, name, detail: event.explanation ?? '', hint };
}

/** What to do stands in the last block. */
function failureText(failure: { readonly reason: string; readonly message: string }): string {
  const { what } = advised(failure);
  return what === '' ? failure.reason : `${failure.reason}: ${what}`;
}

function taggedLine({ tag, colour, name, detail, hint = '' }: Tagged, columns: number, paint: Paint): string {
  const nameColumns = Math.min(Math.max(NAME_COLUMNS, Math.floor(columns * NAME_SHARE)), columns >> 1);
  const room = columns - TAG_COLUMNS - nameColumns - 2 - (hint === '' ? 0 : hint.length + 2);
  const shown = room < SHORTEST_DETAIL ? '' : `  ${cut(oneLine(detail, 400), room)}`;
  const text = pad(cutStart(oneLine(name), nameColumns), nameColumns) + shown;
  return `  ${paint(colour, tag.padEnd(TAG_COLUMNS - 3))} ${hint === '' ? text : `${text}  ${hint}`}`;
}
