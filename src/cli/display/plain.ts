import type { CliIo } from '../io.ts';
import { painter } from '../terminal/style.ts';
import { AllProgress } from './all-progress.ts';
import type { Display } from './display.ts';
import type { LogLine } from './log-line.ts';
import { type LogSink, textSink } from './log-sink.ts';
import { outcomeLines } from './outcome.ts';
import { eventLine, finishedLine, progressLine } from './plain-line.ts';

const PROGRESS_EVERY_MS = 30_000;
const PROGRESS_EVERY_SHARE = 0.05;
const PROGRESS_SPACING_MS = 1000;

/** One line for each event that matters: never wrapped, no colour. Passed jobs are only counted. */
export function plainDisplay(io: CliIo, sink: LogSink = textSink(io)): Display {
  const progress = new AllProgress();
  const jobs = new Map<string, Milestones>();
  const documents = new Milestones();
  const runIds = new Set<string>();
  const printProgress = (): void => {
    const nowMs = io.now();
    for (const [runId, standing] of progress.runs) {
      const { done, total } = standing.counts;
      const named = runIds.size > 1;
      if (jobs.get(runId)?.reached(done, total, nowMs) === true) sink.line(progressLine(runId, standing, { nowMs, named }));
    }
  };
  const begin = (runId: string): void => {
    runIds.add(runId);
    jobs.set(runId, new Milestones());
  };
  return {
    onEvent(event) {
      progress.onEvent(event);
      if (event.kind === 'run.started') begin(event.runId);
      const line = eventLine(event);
      if (line !== null) sink.line(line);
      if (event.kind === 'job.ended') printProgress();
      if (event.kind === 'documents.progress' && documents.reached(event.done, event.total, io.now())) {
        sink.line(documentsLine(event));
      }
    },
    onTotals(all) {
      progress.onTotals(all, io.now());
      printProgress();
    },
    onFinished(outcome) {
      progress.end(outcome.run.runId);
      sink.line(finishedLine(outcome));
      const look = { cwd: io.cwd, lead: io.notes.lead, paint: painter(false), columns: Number.POSITIVE_INFINITY };
      sink.block(outcomeLines(outcome, look), outcome.summary ?? null, outcome.run);
    },
    close: () => sink.close(),
    wantsSummary: sink.wantsSummary,
  };
}

function documentsLine({ done, total }: { readonly done: number; readonly total: number }): LogLine {
  const fields = { read: `${done}/${total}` };
  return { level: 'INFO', event: 'documents.progress', text: 'documents', fields, record: { done, total } };
}

/** When progress is worth a line: 5 % further and a second later, or 30 s later, so that a long wait is not silence. */
class Milestones {
  #atMs: number | null = null;
  #done = 0;

  reached(done: number, total: number, nowMs: number): boolean {
    this.#atMs ??= nowMs;
    const further = done - this.#done;
    const spacingMs = further <= 0 || further < total * PROGRESS_EVERY_SHARE ? PROGRESS_EVERY_MS : PROGRESS_SPACING_MS;
    if (nowMs - this.#atMs < spacingMs) return false;
    this.#atMs = nowMs;
    this.#done = done;
    return true;
  }
}
