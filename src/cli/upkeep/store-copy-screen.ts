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

/** Of what is the same one side is enough. */
const SAME_COLUMNS = 3;

/** So many rows take a while, in which a person wants to see that something happens. */
const MANY_ROWS = 10_000;

/** A line for a table that is there, where it took long; else `null`. */
export function progressLine(table: string, rows: number): string | null {
  return rows < MANY_ROWS ? null : `copied ${table}: ${amount(rows)}`;
}

/** Both stores side by side where they differ; where they are the same, what there is, and what to do now. Tables without rows are not shown. */
export function copiedLines(copied: Copied, how: How, columns: number): string[] {
  const isSame = copied.tables.every(({ same }) => same);
  const filled = copied.tables.filter(({ source, target }) => source.rows + target.rows > 0);
  const rows = filled.map(({ table, source, target, same }) => [
    table,
    amount(source.rows),
    source.checksum.slice(0, SHOWN_DIGITS),
    amount(target.rows),
    target.checksum.slice(0, SHOWN_DIGITS),
    same ? 'same' : 'DIFFERS',
  ]);
  const shown = isSame ? SAME_COLUMNS : HEAD.length;
  const head = HEAD.slice(0, shown);
  const table =
    rows.length === 0
      ? []
      : [
          ...tableLines(
            head,
            rows.map((row) => row.slice(0, shown)),
            columns,
          ),
          '',
        ];
  return isSame ? [...table, ...hanging(sameLines(copied, how), columns)] : table.slice(0, -1);
}

/** `isUsed`: the copy is the store that is used already by who names none. */
type How = { readonly from: string; readonly to: string; readonly verify: boolean; readonly isUsed: boolean };

function sameLines({ source, target, written, tables, isMarked }: Copied, { from, to, verify, isUsed }: How): string[] {
  const all = tables.reduce((sum, table) => sum + table.source.rows, 0);
  const same = `${target} is the same as ${source}: ${counted(tables.length, 'table')}, ${counted(all, 'row')}.`;
  if (verify) return [same];
  const now = written === all ? '' : ` ${amount(all - written)} of them were there before.`;
  const mark = isMarked ? ', but for a note that it was copied' : '';
  const rest = !isServer(from) && isServer(to) && !isMarked ? ' It cannot be written, and says nowhere that it was copied.' : '';
  return [
    `${same}${now}`,
    `${source} was left as it is${mark}; what is done from now on with the copy does not reach it.${rest}`,
    `  → ${isUsed ? `${PROGRAM} status` : commandOn(to, 'status')}`,
  ];
}

/** A command that looks at one of the two; a password is left for the person to add. */
export function commandOn(location: string, command: 'status' | 'doctor'): string {
  return `${PROGRAM} ${isServer(location) ? '--store' : '--db'} ${shellWord(shownLocation(location))} ${command}`;
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

export function outlookLines(outlook: CopyOutlook, columns: number): string[] {
  const filled = outlook.tables.filter(({ rows }) => rows > 0).map(({ table, rows }) => [table, amount(rows)]);
  const table = filled.length === 0 ? [] : [...tableLines(HEAD.slice(0, 2), filled, columns), ''];
  return [...table, ...hanging([outlookLine(outlook)], columns)];
}

function outlookLine({ source, target, targetIs, tables }: CopyOutlook): string {
  const rows = counted(sumOf(tables), 'row');
  if (targetIs === 'whole') return `Would copy nothing: ${target} is the same as ${source} already, ${rows}.`;
  return `Would copy ${rows} of ${source} to ${target}, ${TARGET_WORDS[targetIs]}.`;
}

const TARGET_WORDS = {
  new: 'where no store is yet and one may be made',
  empty: 'which is there and empty',
  begun: 'which holds a part of them already',
} as const;

export function outlookRecord({ source, target, targetIs, tables }: CopyOutlook): object {
  return { v: 1, source, target, targetIs, rows: sumOf(tables), tables };
}

function sumOf(tables: CopyOutlook['tables']): number {
  return tables.reduce((sum, { rows }) => sum + rows, 0);
}

function amount(count: number): string {
  return count.toLocaleString('en-US');
}
