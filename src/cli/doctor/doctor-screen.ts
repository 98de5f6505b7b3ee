import type { Inspection } from '../../store/maintenance.ts';
import { counted } from '../terminal/format.ts';
import { hanging } from '../terminal/hanging.ts';
import { manyLines } from '../terminal/many-lines.ts';
import type { Colour, Paint } from '../terminal/style.ts';
import { pad } from '../terminal/width.ts';

/** On a narrow terminal the words need the room. */
const LONGEST_INDENT = 12;

/** A word stands beside the sign where something is wrong: not every screen, nor every reader, tells signs apart. */
const MARKS: Record<Inspection['status'], readonly [mark: string, colour: Colour, word: string]> = {
  ok: ['✓', 'green', ''],
  warning: ['!', 'yellow', 'warning: '],
  problem: ['✗', 'red', 'problem: '],
};

/** `columns`: infinite in a pipe, whose lines are never broken. `width`: that of the longest name, where more are to come. */
type DoctorLook = { readonly paint: Paint; readonly quiet: boolean; readonly columns: number; readonly width?: number };

/** `doctor` for a person: a line for each check, what helps below it, and the sum. With `quiet`, only what is wrong. */
export function doctorLines(checks: readonly Inspection[], look: DoctorLook): string[] {
  return [...checkLines(checks, look), ...sumLines(checks, look)];
}

/** The checks alone. */
export function checkLines(checks: readonly Inspection[], look: DoctorLook): string[] {
  const { paint, quiet, columns } = look;
  const shown = checks.filter(({ status }) => !quiet || status !== 'ok');
  const width = Math.max(look.width ?? 0, ...shown.map(({ check }) => check.length));
  const indent = Math.min(width + 4, LONGEST_INDENT);
  return shown.flatMap((one) => hanging(linesOf(one, width, paint), columns, indent)).map((line) => `${line}\n`);
}

/** The sum that ends the screen. */
export function sumLines(checks: readonly Inspection[], { paint, quiet }: DoctorLook): string[] {
  return quiet ? [] : ['\n', `${sumOf(checks, paint)}\n`];
}

function linesOf({ check, status, message, next }: Inspection, width: number, paint: Paint): string[] {
  const [mark, colour, word] = MARKS[status];
  const indent = ' '.repeat(width + 4);
  return [
    `${paint(colour, mark)} ${pad(check, width)}  ${word}${inOneLine(message)}`,
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
