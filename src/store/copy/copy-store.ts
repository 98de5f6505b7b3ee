import { shownLocation } from '../location.ts';
import type { Inspection } from '../maintenance.ts';
import { inspectStore } from '../open.ts';
import { type ComparedTable, compareStores, otherEventsPass } from './compare.ts';
import { keyOf, type RowKey } from './copied-row.ts';
import { COPIED_TABLES, type CopiedTable } from './copied-tables.ts';
import { openReader, openWriter } from './open-side.ts';
import { copyRefused } from './refusals.ts';
import type { CopyReader, CopyWriter, SideOptions } from './side.ts';

/** Two stores, by absolute path or URL. */
export type CopyRequest = {
  readonly from: string;
  readonly to: string;
  readonly options: SideOptions;
  /** Hears of each table that is there, and how many rows of it were written now. */
  readonly onTable?: (table: string, rows: number) => void;
};

export type Copied = {
  readonly source: string;
  readonly target: string;
  /** Rows that this command wrote; 0 where everything was there. */
  readonly written: number;
  readonly tables: readonly ComparedTable[];
  /** What `doctor` would say of the copy's own sums and work. */
  readonly broken: readonly Inspection[];
};

/**
 * Makes `to` a copy of `from`, which is left as it is, or goes on with one that was begun, and compares the two. `to` must hold nothing
 * else: it is opened by nobody until it is the same. Throws `UserError` (E46, exit 7) where either may not be used.
 */
export async function copyStore(request: CopyRequest): Promise<Copied> {
  const written = await withSource(request, (source) => fill(source, request));
  const found = await compared(request);
  // What is wrong in the same rows is wrong in both: the copy is as whole as what it is a copy of.
  if (written !== null && found.tables.every(({ same }) => same)) await markWhole(request);
  return { ...found, written: written ?? 0, broken: await brokenRules(request) };
}

/** Compares the two, and changes neither. */
export async function verifyCopy(request: CopyRequest): Promise<Copied> {
  return { ...(await compared(request)), written: 0, broken: await brokenRules(request) };
}

export type CopyOutlook = {
  readonly source: string;
  readonly tables: readonly { readonly table: string; readonly rows: number }[];
};

/** What would be copied; `to` is not created. Throws `UserError` as `copyStore` does of `from`. */
export async function copyOutlook(request: CopyRequest): Promise<CopyOutlook> {
  return await withSource(request, async (source) => {
    const tables: { table: string; rows: number }[] = [];
    for (const table of COPIED_TABLES) tables.push({ table: table.name, rows: await source.count(table) });
    return { source: source.shown, tables };
  });
}

async function withSource<Result>({ from, options }: CopyRequest, work: (source: CopyReader) => Promise<Result>): Promise<Result> {
  const source = await openReader(from, options);
  try {
    await refuseSource(source);
    return await work(source);
  } finally {
    await source.close();
  }
}

async function refuseSource(source: CopyReader): Promise<void> {
  await refuseWorkers(source);
  const half = await source.unfinishedCopy();
  if (half !== null)
    throw copyRefused(`${source.shown} is itself a copy of ${half.source} that is not whole yet.`, ['copy that one instead']);
  const unsettled = await source.unsettled();
  if (unsettled !== null) throw copyRefused(`${source.shown} has ${unsettled.what}.`, [`with its --db or --store: ${unsettled.next}`]);
}

async function refuseWorkers(side: CopyReader): Promise<void> {
  const alive = await side.livingWorkers();
  if (alive.length === 0) return;
  const [first = '', ...others] = alive;
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  throw copyRefused(`${side.shown} is being worked on (${first}${more}).`, [
    'with its --db or --store: aieval pause',
    'the same command once its workers have left (one that was killed counts for a minute on a server)',
  ]);
}

/** Rows that were written; `null`: the copy was whole before. */
async function fill(source: CopyReader, request: CopyRequest): Promise<number | null> {
  const writer = await openWriter(request.to, request.options);
  try {
    const begun = await lookAtTarget(source, request);
    if (begun === 'whole') return null;
    if (begun === 'empty') await writer.begin({ sourceId: source.storeId, source: shownLocation(request.from) });
    let written = 0;
    for (const table of COPIED_TABLES) {
      const rows = await copyTable(source, writer, table);
      written += rows;
      request.onTable?.(table.name, rows);
    }
    await writer.settle();
    return written;
  } finally {
    await writer.close();
  }
}

async function copyTable(source: CopyReader, writer: CopyWriter, table: CopiedTable): Promise<number> {
  let written = 0;
  for (let after: RowKey | null = await writer.lastKey(table); ; ) {
    const rows = await source.page(table, after);
    const last = rows.at(-1);
    if (last === undefined) return written;
    await writer.write(table, rows);
    written += rows.length;
    after = keyOf(table, last);
    await otherEventsPass();
  }
}

/** What the target is of the source. Throws `UserError` where it is something else. */
async function lookAtTarget(source: CopyReader, { to, options }: CopyRequest): Promise<'empty' | 'begun' | 'whole'> {
  const target = await openReader(to, options);
  try {
    if (target.place === source.place) throw copyRefused(`${source.shown} cannot be copied into itself.`, ['name another store']);
    const half = await target.unfinishedCopy();
    if (half !== null && half.sourceId === source.storeId) return 'begun';
    if (half !== null) throw copyRefused(`${target.shown} is to become a copy of ${half.source}, which is another store.`, [ANOTHER]);
    await refuseWorkers(target);
    const held = await heldTables(target);
    if (held.length === 0) return 'empty';
    if ((await compareStores(source, target)).every(({ same }) => same)) return 'whole';
    throw copyRefused(`${target.shown} holds something of its own (${held.join(', ')}); nothing was copied, nothing overwritten.`, [
      ANOTHER,
      'to take over the answers alone: aieval cache export, then aieval cache import there',
    ]);
  } finally {
    await target.close();
  }
}

/** What a person knows of a store. */
const TOLD_FIRST = COPIED_TABLES.filter(({ name }) => ['runs', 'jobs', 'responses'].includes(name));
const SHOWN_TABLES = 3;
const ANOTHER = 'copy into another file, or another schema: postgres://…/database?schema=name';

async function heldTables(target: CopyReader): Promise<readonly string[]> {
  const held: string[] = [];
  for (const table of [...TOLD_FIRST, ...COPIED_TABLES]) {
    const rows = held.length < SHOWN_TABLES ? await target.count(table) : 0;
    if (rows > 0) held.push(`${table.name}: ${rows}`);
  }
  return held;
}

/** By snapshots of their own: what changed in the source since it was copied is a difference. */
async function compared({ from, to, options }: CopyRequest): Promise<Pick<Copied, 'source' | 'target' | 'tables'>> {
  const source = await openReader(from, options);
  try {
    const target = await openReader(to, options);
    try {
      return { source: source.shown, target: target.shown, tables: await compareStores(source, target) };
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/** Of the looks that `doctor` takes those at the rows themselves. */
const LOOKS: ReadonlySet<string> = new Set(['schema', 'integrity', 'foreign-keys', 'totals', 'work']);

async function brokenRules({ to, options }: CopyRequest): Promise<readonly Inspection[]> {
  const { clock, hostId, spoolFolders, userId, trustUncertain } = options;
  const findings = await inspectStore(to, { clock, hostId, spoolFolders, userId, fileSystem: { trustUncertain } });
  return findings.filter(({ check, status }) => status === 'problem' && LOOKS.has(check));
}

async function markWhole({ to, options }: CopyRequest): Promise<void> {
  const writer = await openWriter(to, options);
  try {
    await writer.finish();
  } finally {
    await writer.close();
  }
}
