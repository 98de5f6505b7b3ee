import { Checksum, type TableSum } from './checksum.ts';
import { keyOf, type RowKey } from './copied-row.ts';
import { COPIED_TABLES, type CopiedTable } from './copied-tables.ts';
import type { CopyReader } from './side.ts';

/** A table of two stores, each read on its own. */
export type ComparedTable = {
  readonly table: string;
  readonly source: TableSum;
  readonly target: TableSum;
  readonly same: boolean;
};

/** All tables of two stores, row by row. */
export async function compareStores(source: CopyReader, target: CopyReader): Promise<readonly ComparedTable[]> {
  const compared: ComparedTable[] = [];
  for (const table of COPIED_TABLES) {
    const [here, there] = [await sumOf(source, table), await sumOf(target, table)];
    const same = here.rows === there.rows && here.checksum === there.checksum;
    compared.push({ table: table.name, source: here, target: there, same });
  }
  return compared;
}

async function sumOf(reader: CopyReader, table: CopiedTable): Promise<TableSum> {
  const sum = new Checksum(table);
  for (let after: RowKey | null = null; ; ) {
    const rows = await reader.page(table, after);
    for (const row of rows) sum.add(row);
    const last = rows.at(-1);
    if (last === undefined) return sum.value();
    after = keyOf(table, last);
    await otherEventsPass();
  }
}

/** A file is read without waiting for anything: signals and timers get their turn between pages. */
export function otherEventsPass(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
