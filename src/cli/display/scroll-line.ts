import { oneLine } from '../../domain/hostile-text.ts';
import { advised } from '../../domain/next-step.ts';
import type { EngineEvent } from '../../engine/events.ts';
import { shortJobId } from '../job-names.ts';
import { counted } from '../terminal/format.ts';
import type { Paint } from '../terminal/style.ts';
import { cut, cutStart, pad } from '../terminal/width.ts';
import { packageVersion } from '../version.ts';

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

/** What scrolls past above the panel for an event, at most `columns` wide; `null` for what the panel itself shows. */
export function scrollLine(event: EngineEvent, columns: number, paint: Paint): string | null {
  if (event.kind === 'run.started') return cut(startedText(event), columns);
  if (event.kind === 'stopping') return paint('yellow', cut(stoppingText(event), columns));
  if (event.kind === 'warning') return paint('yellow', cut(`warning: ${oneLine(event.message, 1000)}`, columns));
  const tagged = taggedOf(event);
  return tagged === null ? null : taggedLine(tagged, columns, paint);
}

function startedText({ runId, name, jobs, cached, joined }: Extract<EngineEvent, { kind: 'run.started' }>): string {
  const run = joined ? `joined run ${runId}` : `run ${runId}`;
  return `aieval ${packageVersion()} · ${oneLine(name)} · ${run} · ${counted(jobs, 'job')}${cached > 0 ? `, ${cached} from cache` : ''}`;
}

function stoppingText({ inFlight, now }: Extract<EngineEvent, { kind: 'stopping' }>): string {
  if (now) return 'Stopping now: calls in flight are given up, the rest is saved.';
  return `Stopping: ${counted(inFlight, 'call')} in flight. Ctrl-C again to leave now.`;
}

function taggedOf(event: EngineEvent): Tagged | null {
  switch (event.kind) {
    case 'document.failed':
      return { tag: 'DOC', colour: 'yellow', name: event.documentId, detail: failureText(event) };
    case 'lane.paused':
      return { tag: 'STOP', colour: 'red', name: pausedName(event), detail: `${event.failure.message} → ${event.next}` };
    case 'lease.lost':
      return { tag: 'LOST', colour: 'yellow', name: event.label, detail: event.resultKept ? 'the answer is kept' : 'given up' };
    case 'job.ended':
      return endedOf(event);
    default:
      return null;
  }
}

function pausedName({ provider, model }: Extract<EngineEvent, { kind: 'lane.paused' }>): string {
  return model === null ? provider : `${provider}, model ${model}`;
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
  return `${failure.reason}: ${advised(failure).what}`;
}

function taggedLine({ tag, colour, name, detail, hint = '' }: Tagged, columns: number, paint: Paint): string {
  const nameColumns = Math.min(Math.max(NAME_COLUMNS, Math.floor(columns * NAME_SHARE)), columns >> 1);
  const room = columns - TAG_COLUMNS - nameColumns - 2 - (hint === '' ? 0 : hint.length + 2);
  const shown = room < SHORTEST_DETAIL ? '' : `  ${cut(oneLine(detail, 400), room)}`;
  const text = pad(cutStart(oneLine(name), nameColumns), nameColumns) + shown;
  return `  ${paint(colour, tag.padEnd(TAG_COLUMNS - 3))} ${hint === '' ? text : `${text}  ${hint}`}`;
}
