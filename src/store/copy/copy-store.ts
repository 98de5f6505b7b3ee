import { isServer, shownLocation, storePath } from '../location.ts';
import type { Inspection } from '../maintenance.ts';
import { inspectStore, storeExists } from '../open.ts';
import { type ComparedTable, compareStores, otherEventsPass } from './compare.ts';
import { keyOf, type RowKey } from './copied-row.ts';
import { COPIED_TABLES, type CopiedTable } from './copied-tables.ts';
import { lookAtTarget, refuseWorkers, type TargetState } from './look-at-target.ts';
import { openReader, openWriter, refuseUnwritable } from './open-side.ts';
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
  /** The source tells from now on where it was copied to. */
  readonly isMarked: boolean;
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
  const isWhole = found.tables.every(({ same }) => same);
  if (written !== null && isWhole) await markWhole(request);
  return { ...found, written: written ?? 0, isMarked: isWhole && (await markSource(request)), broken: await brokenRules(request) };
}

/** Compares the two, and changes neither. */
export async function verifyCopy(request: CopyRequest): Promise<Copied> {
  return { ...(await compared(request)), written: 0, isMarked: false, broken: await brokenRules(request) };
}

export type CopyOutlook = {
  readonly source: string;
  readonly target: string;
  /** `new`: it is not there yet, and may be created. */
  readonly targetIs: TargetState | 'new';
  readonly tables: readonly { readonly table: string; readonly rows: number }[];
};

/** What would be copied, and into what; `to` is not created, nor changed. Throws `UserError` as `copyStore` does, as far as can be told. */
export async function copyOutlook(request: CopyRequest): Promise<CopyOutlook> {
  const { to, options } = request;
  return await withSource(request, async (source) => {
    await refuseUnwritable(to, options);
    const targetIs = (await storeExists(to)) ? await targetState(source, request) : 'new';
    const tables: { table: string; rows: number }[] = [];
    for (const table of COPIED_TABLES) tables.push({ table: table.name, rows: await source.count(table) });
    return { source: source.shown, target: shownLocation(to), targetIs, tables };
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

/** Rows that were written; `null`: the copy was whole before. */
async function fill(source: CopyReader, request: CopyRequest): Promise<number | null> {
  const writer = await openWriter(request.to, request.options);
  try {
    const begun = await targetState(source, request);
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

async function targetState(source: CopyReader, { to, options }: CopyRequest): Promise<TargetState> {
  const target = await openReader(to, options);
  try {
    return await lookAtTarget(source, target, to);
  } finally {
    await target.close();
  }
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

/** Of a file that went to a server: who uses it by mistake is told. A file, and a server's copy in one, may well be a backup. */
async function markSource({ from, to, options }: CopyRequest): Promise<boolean> {
  if (isServer(from) || !isServer(to)) return false;
  const { markCopied } = await import('../sqlite/copy/copied-mark.ts');
  return markCopied(storePath(from), { to: shownLocation(to), atMs: options.clock() });
}
