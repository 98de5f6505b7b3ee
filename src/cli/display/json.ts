import { jsonLine } from '../../domain/hostile-text.ts';
import type { EngineEvent } from '../../engine/events.ts';
import type { CliIo } from '../io.ts';
import { usdOrNull } from '../jobs/record-shapes.ts';
import { isoTime } from '../terminal/format.ts';
import type { Display } from './display.ts';
import { finishedRecord } from './outcome.ts';

/** Events as JSON lines on stdout; the last line is `run.finished`. JSON escapes what the texts hold. */
export function jsonDisplay(io: CliIo): Display {
  const print = (record: object): void => {
    io.stdout.write(`${jsonLine(record)}\n`);
  };
  return {
    onEvent: (event) => print(eventRecord(event, io.now())),
    onTotals: () => undefined,
    onFinished: (outcome) => print(finishedRecord(outcome)),
    close: () => undefined,
  };
}

/** A consumer gets one explanation: that which may be shown. */
function withoutBare(event: EngineEvent): EngineEvent {
  if (event.kind !== 'job.ended') return event;
  const { bareExplanation: _, ...ended } = event;
  return ended;
}

function eventRecord(event: EngineEvent, nowMs: number): object {
  const { kind, ...fields } = withoutBare(event);
  const head = { v: 1, event: kind, ts: isoTime(nowMs) };
  if (event.kind === 'retry.planned') return { ...head, ...retryFields(event) };
  if (event.kind !== 'run.started') return { ...head, ...ofRun(fields) };
  const { runId, name, joined, jobs, cached, outDir, filesHere, selected, since } = event;
  return {
    ...{ ...head, run: runId, name, joined, jobs, cached, outDir, filesHere },
    selection: selected === undefined ? null : { ...selected.selection, allJobs: selected.allJobs },
    since: since === undefined ? null : { run: since.runId, changes: since.changes, reused: since.reused },
  };
}

/** A run is called `run` in all that we print. */
function ofRun(fields: object): object {
  if (!('runId' in fields)) return fields;
  const { runId: run, ...others } = fields;
  return { run, ...others };
}

function retryFields({
  runId,
  jobs,
  otherJobs,
  calls,
  expectedNanoUsd,
  worstNanoUsd,
}: Extract<EngineEvent, { kind: 'retry.planned' }>): object {
  const cost = { expectedUsd: usdOrNull(expectedNanoUsd), worstCaseUsd: usdOrNull(worstNanoUsd) };
  return { run: runId, jobs, otherJobs, calls, cost };
}
