import type { Copied, CopyOutlook } from '../../store/copy/copy-store.ts';
import { isServer, shownLocation } from '../../store/location.ts';
import type { Inspection } from '../../store/maintenance.ts';
import { PROGRAM } from '../lead.ts';
import { counted } from '../terminal/format.ts';
import { hanging } from '../terminal/hanging.ts';
import { shellWord } from '../terminal/shell-word.ts';
import { type Column, tableLines } from '../terminal/table.ts';

export const OFF_TERMINAL_COLUMNS = 200;

/** Of a checksum, as much as a person compares. */
const SHOWN_DIGITS = 12;

const HEAD: readonly Column[] = [
  { title: 'TABLE' },
  { title: 'ROWS', align: 'right' },
  { title: 'CHECKSUM' },
  { title: 'COPY ROWS', align: 'right' },
  { title: 'COPY CHECKSUM' },
  { title: 'COPY IS' },
];

/** Every table with its rows and checksum in both stores, and what to do now. */
export function copiedLines(copied: Copied, how: { readonly to: string; readonly verify: boolean }, columns: number): string[] {
  const rows = copied.tables.map(({ table, source, target, same }) => [
    table,
    amount(source.rows),
    source.checksum.slice(0, SHOWN_DIGITS),
    amount(target.rows),
    target.checksum.slice(0, SHOWN_DIGITS),
    same ? 'same' : 'DIFFERS',
  ]);
  const table = tableLines(HEAD, rows, columns);
  return copied.tables.every(({ same }) => same) ? [...table, '', ...hanging(sameLines(copied, how), columns)] : table;
}

function sameLines(
  { source, target, written, tables }: Copied,
  { to, verify }: { readonly to: string; readonly verify: boolean },
): string[] {
  const all = tables.reduce((sum, table) => sum + table.source.rows, 0);
  const same = `${target} is the same as ${source}: ${counted(tables.length, 'table')}, ${counted(all, 'row')}.`;
  if (verify) return [same];
  const now = written === all ? '' : ` ${amount(all - written)} of them were there before.`;
  return [
    `${same}${now}`,
    `${source} was left as it is; what is done from now on with the copy does not reach it.`,
    `  → ${statusCommand(to)}`,
  ];
}

/** The command that looks at the copy; a password is left for the person to add. */
function statusCommand(to: string): string {
  return `${PROGRAM} ${isServer(to) ? '--store' : '--db'} ${shellWord(shownLocation(to))} status`;
}

/** What takes a copy away that is of no use. */
export function removal(to: string): string {
  if (!isServer(to)) return `rm ${shellWord(to)}*`;
  return `DROP SCHEMA ${new URL(to).searchParams.get('schema') ?? 'aieval'} CASCADE`;
}

/** What does not hold in a copy that is the same. */
export function brokenLine({ source, target }: Copied, { check, message }: Inspection): string {
  return `${target} is the same as ${source}, but something is wrong in both (${check}): ${message}`;
}

export function copiedRecord({ source, target, written, tables, broken }: Copied): object {
  const same = tables.every((table) => table.same);
  return { v: 1, source, target, written, same, tables, problems: broken.map(({ check, message }) => ({ check, message })) };
}

export function outlookLines({ source, tables }: CopyOutlook, columns: number): string[] {
  const rows = tables.map(({ table, rows }) => [table, amount(rows)]);
  const line = `Would copy ${counted(sumOf(tables), 'row')} of ${source}.`;
  return [...tableLines(HEAD.slice(0, 2), rows, columns), '', ...hanging([line], columns)];
}

export function outlookRecord({ source, tables }: CopyOutlook): object {
  return { v: 1, source, rows: sumOf(tables), tables };
}

function sumOf(tables: CopyOutlook['tables']): number {
  return tables.reduce((sum, { rows }) => sum + rows, 0);
}

function amount(count: number): string {
  return count.toLocaleString('en-US');
}
