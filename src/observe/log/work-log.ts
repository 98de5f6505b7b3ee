import { pino } from 'pino';
import type { LogLevel, LogRecord } from './log-record.ts';

export type WorkLogOptions = {
  readonly level: LogLevel;
  /** Takes one line with its end. */
  readonly write: (line: string) => void;
  /** Takes secrets out of a text, also in the middle of it: pino itself only knows fields. */
  readonly redact: (text: string) => string;
  readonly now: () => number;
};

/** Writes records as JSON, one a line: `{"level":"info","ts":"…","v":1,"event":"call.answered",…}`. Returns what takes them. */
export function openWorkLog({ level, write, redact, now }: WorkLogOptions): (record: LogRecord) => void {
  const logger = pino(
    {
      level,
      base: { v: 1 },
      timestamp: () => `,"ts":"${new Date(now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write },
  );
  return ({ level: of, event, fields }) => logger[of]({ event, ...cleaned(fields, redact) });
}

function cleaned(fields: LogRecord['fields'], redact: (text: string) => string): Record<string, string | number | boolean> {
  const known = Object.entries(fields).flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
  return Object.fromEntries(known.map(([name, value]) => [name, typeof value === 'string' ? redact(value) : value]));
}
