import { jsonLine, oneLine } from '../../domain/hostile-text.ts';
import { isoTime } from '../terminal/format.ts';

type Level = 'INFO' | 'WARN' | 'ERROR' | 'PASS' | 'FAIL' | 'REVIEW' | 'DLQ' | 'RETRY';
export type Fields = { readonly [name: string]: string | number | boolean };

/** One line of a log before it is written down. `text` and `fields` may be hostile. */
export type LogLine = {
  readonly level: Level;
  /** What machines call it: `job.fail`. */
  readonly event: string;
  readonly text: string;
  readonly fields?: Fields;
  /** What a machine reads in place of `fields`. */
  readonly record?: Fields;
};

const LONGEST_TEXT = 1000;

/** `stamp FAIL text name=value …`: one physical line, whatever the texts hold; values are quoted where a space would split them. */
export function logText({ level, text, fields = {} }: LogLine, stamp: string): string {
  return [stamp, level.padEnd(4), oneLine(text, LONGEST_TEXT), ...Object.entries(fields).map(fieldText)].join(' ');
}

function fieldText([name, value]: [string, string | number | boolean]): string {
  const text = oneLine(String(value), LONGEST_TEXT);
  return `${name}=${/^[\w@%+=:,./#-]+$/.test(text) ? text : JSON.stringify(text)}`;
}

const SEVERITY: Record<Level, 'info' | 'warn' | 'error'> = {
  INFO: 'info',
  PASS: 'info',
  RETRY: 'info',
  WARN: 'warn',
  FAIL: 'warn',
  REVIEW: 'warn',
  DLQ: 'error',
  ERROR: 'error',
};

/** The same for machines: one object on one physical line, also for readers that know other line ends than ours. */
export function logJson({ level, event, text, fields = {}, record = fields }: LogLine, atMs: number): string {
  return physicalLine({ v: 1, ts: isoTime(atMs), level: SEVERITY[level], event, text, ...record });
}

/** A record as one physical line. JSON leaves some characters as they are that other programs take for line ends. */
function physicalLine(record: object): string {
  return jsonLine(record).replace(/[\u0085\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
