import { annotationCommands } from '../../report/github.ts';
import type { Summary } from '../../report/summary.ts';
import { workflowCommand } from '../../report/workflow-command.ts';
import type { RunRow } from '../../store/rows.ts';
import type { CliIo } from '../io.ts';
import { filesOfRun } from '../results/annotation-file.ts';
import { utcClock } from '../terminal/format.ts';
import { type LogLine, logJson, logText } from './log-line.ts';

/** Where the lines of a plain display go. */
export type LogSink = {
  line(line: LogLine): void;
  /** The last block of a run, for people; with what is known of the run where `wantsSummary` says so. */
  block(lines: readonly string[], summary: Summary | null, run: RunRow): void;
  close(): void;
  readonly wantsSummary: boolean;
};

/** One line of text for each line of the log. */
export function textSink(io: CliIo): LogSink {
  return {
    wantsSummary: false,
    line: (line) => print(io, logText(line, utcClock(io.now()))),
    block: (lines) => {
      for (const line of lines) print(io, line);
    },
    close: () => undefined,
  };
}

/** One object a line; what people read is in the objects. */
export function jsonSink(io: CliIo): LogSink {
  return { wantsSummary: false, line: (line) => print(io, logJson(line, io.now())), block: () => undefined, close: () => undefined };
}

/** In front of every line that is not a command of ours: what begins a line may command the runner. */
const BAR = '│ ';

/** The log of a workflow: the detail of a run in a group that a reader opens, its outcome in sight, and the worst beside the files. */
export function githubSink(io: CliIo): LogSink {
  let open = false;
  const close = (): void => {
    if (open) print(io, workflowCommand('endgroup', {}, ''));
    open = false;
  };
  return {
    wantsSummary: true,
    line(line) {
      if (!open) print(io, workflowCommand('group', {}, 'aieval: what happened'));
      open = true;
      print(io, BAR + logText(line, utcClock(io.now())));
    },
    block(lines, summary, run) {
      close();
      for (const line of lines) print(io, BAR + line);
      if (summary === null) return;
      for (const command of annotationCommands(summary, filesOfRun(io, run))) print(io, command);
    },
    close,
  };
}

function print(io: CliIo, line: string): void {
  io.stderr.write(`${line}\n`);
}
