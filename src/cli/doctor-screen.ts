import type { Inspection } from '../store/maintenance.ts';
import { counted } from './terminal/format.ts';
import { manyLines } from './terminal/many-lines.ts';
import type { Colour, Paint } from './terminal/style.ts';
import { pad } from './terminal/width.ts';

const MARKS: Record<Inspection['status'], readonly [mark: string, colour: Colour]> = {
  ok: ['✓', 'green'],
  warning: ['!', 'yellow'],
  problem: ['✗', 'red'],
};

/** `doctor` for a person: a line for each check, what helps below it, and the sum. With `quiet`, only what is wrong. */
export function doctorLines(checks: readonly Inspection[], { paint, quiet }: { paint: Paint; quiet: boolean }): string[] {
  const shown = checks.filter(({ status }) => !quiet || status !== 'ok');
  const width = Math.max(0, ...shown.map(({ check }) => check.length));
  const lines = shown.flatMap((one) => linesOf(one, width, paint));
  return [...lines, ...(quiet ? [] : ['', sumOf(checks, paint)])].map((line) => `${line}\n`);
}

function linesOf({ check, status, message, next }: Inspection, width: number, paint: Paint): string[] {
  const [mark, colour] = MARKS[status];
  const indent = ' '.repeat(width + 4);
  return [
    `${paint(colour, mark)} ${pad(check, width)}  ${inOneLine(message)}`,
    ...next.map((step) => `${indent}${paint('cyan', 'next:')} ${inOneLine(step)}`),
  ];
}

/** A path may hold anything. */
function inOneLine(text: string): string {
  return manyLines(text).replaceAll('\n', ' ');
}

function sumOf(checks: readonly Inspection[], paint: Paint): string {
  const count = (status: Inspection['status']) => checks.filter((one) => one.status === status).length;
  const parts = [
    ...(count('problem') > 0 ? [paint('red', counted(count('problem'), 'problem'))] : []),
    ...(count('warning') > 0 ? [paint('yellow', counted(count('warning'), 'warning'))] : []),
  ];
  return parts.length === 0 ? paint('green', 'Nothing is wrong.') : parts.join(', ');
}
