import type { CliIo } from '../io.ts';
import { painter } from '../terminal/style.ts';
import type { Display } from './display.ts';
import type { LogLine } from './log-line.ts';
import { type LogSink, textSink } from './log-sink.ts';
import { outcomeLines } from './outcome.ts';
import { eventLine, finishedLine, progressLine } from './plain-line.ts';
import { Progress } from './progress.ts';

const PROGRESS_EVERY_MS = 30_000;
const PROGRESS_EVERY_SHARE = 0.05;
const PROGRESS_SPACING_MS = 1000;

/** One line for each event that matters: never wrapped, no colour. Passed jobs are only counted. */
export function plainDisplay(io: CliIo, sink: LogSink = textSink(io)): Display {
  const progress = new Progress();
  const jobs = new Milestones();
  const documents = new Milestones();
  const printProgress = (): void => {
    const { done, total } = progress.counts;
    if (jobs.reached(done, total, io.now())) sink.line(progressLine(progress, io.now()));
  };
  return {
    onEvent(event) {
      progress.onEvent(event);
      const line = eventLine(event);
      if (line !== null) sink.line(line);
      if (event.kind === 'job.ended') printProgress();
      if (event.kind === 'documents.progress' && documents.reached(event.done, event.total, io.now())) {
        sink.line(documentsLine(event));
      }
    },
    onTotals(totals) {
      progress.onTotals(totals, io.now());
      printProgress();
    },
    onFinished(outcome) {
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
