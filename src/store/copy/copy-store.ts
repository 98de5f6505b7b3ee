import { isServer, shownLocation, storePath } from '../location.ts';
import type { Inspection } from '../maintenance.ts';
import { inspectStore, storeExists } from '../open.ts';
import { againWhileAway } from './again.ts';
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
  const written = await fill(request);
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

/** `reached`: the server at the other end answers as well. */
function withSource<Result>(
  { from, options }: CopyRequest,
  work: (source: CopyReader, reached: () => void) => Promise<Result>,
): Promise<Result> {
  return againWhileAway(async (reached) => {
    const source = await openReader(from, options);
    try {
      await refuseSource(source);
      return await work(source, reached);
    } finally {
      await source.close();
    }
  }, options.onServer);
}

async function refuseSource(source: CopyReader): Promise<void> {
  await refuseWorkers(source);
  const half = await source.unfinishedCopy();
  if (half !== null)
    throw copyRefused(`${source.shown} is itself a copy of ${half.source} that is not whole yet.`, ['copy that one instead']);
  const unsettled = await source.unsettled();
  if (unsettled !== null) throw copyRefused(`${source.shown} has ${unsettled.what}.`, [`with its --db or --store: ${unsettled.next}`]);
}

/** Rows that were written; `null`: the copy was whole before. A server that breaks off is waited for: the copy goes on where it was. */
async function fill(request: CopyRequest): Promise<number | null> {
  const written = new Map<string, number>();
  const isFilled = await withSource(request, (source, reached) => fillFrom(source, request, { written, reached }));
  return isFilled ? [...written.values()].reduce((sum, rows) => sum + rows, 0) : null;
}

/** Counts the rows of each table in `written`. False where the copy was whole before. */
async function fillFrom(
  source: CopyReader,
  request: CopyRequest,
  { written, reached }: { readonly written: Map<string, number>; readonly reached: () => void },
): Promise<boolean> {
  const writer = await openWriter(request.to, request.options);
  try {
    const begun = await targetState(source, request);
    if (begun === 'whole') return false;
    reached();
    if (begun === 'empty') await writer.begin({ sourceId: source.storeId, source: shownLocation(request.from) });
    for (const table of COPIED_TABLES) {
      await copyTable(source, writer, { table, onWritten: (rows) => written.set(table.name, (written.get(table.name) ?? 0) + rows) });
      request.onTable?.(table.name, written.get(table.name) ?? 0);
    }
    await writer.settle();
    return true;
  } finally {
    await writer.close();
  }
}

type TableCopy = { readonly table: CopiedTable; readonly onWritten: (rows: number) => void };

async function copyTable(source: CopyReader, writer: CopyWriter, { table, onWritten }: TableCopy): Promise<void> {
  for (let after: RowKey | null = await writer.lastKey(table); ; ) {
    const rows = await source.page(table, after);
    const last = rows.at(-1);
    if (last === undefined) return;
    await writer.write(table, rows);
    onWritten(rows.length);
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
function compared({ from, to, options }: CopyRequest): Promise<Pick<Copied, 'source' | 'target' | 'tables'>> {
  return againWhileAway(async (reached) => {
    const source = await openReader(from, options);
    try {
      const target = await openReader(to, options);
      reached();
      try {
        return { source: source.shown, target: target.shown, tables: await compareStores(source, target) };
      } finally {
        await target.close();
      }
    } finally {
      await source.close();
    }
  }, options.onServer);
}

/** Of the looks that `doctor` takes those at the rows themselves. */
const LOOKS: ReadonlySet<string> = new Set(['schema', 'integrity', 'foreign-keys', 'totals', 'work']);

async function brokenRules({ to, options }: CopyRequest): Promise<readonly Inspection[]> {
  const { clock, hostId, spoolFolders, userId, trustUncertain } = options;
  const findings = await inspectStore(to, { clock, hostId, spoolFolders, userId, fileSystem: { trustUncertain } });
  return findings.filter(({ check, status }) => status === 'problem' && LOOKS.has(check));
}

function markWhole({ to, options }: CopyRequest): Promise<void> {
  return againWhileAway(async () => {
    const writer = await openWriter(to, options);
    try {
      await writer.finish();
    } finally {
      await writer.close();
    }
  }, options.onServer);
}

/** Of a file that went to a server: who uses it by mistake is told. A file, and a server's copy in one, may well be a backup. */
async function markSource({ from, to, options }: CopyRequest): Promise<boolean> {
  if (isServer(from) || !isServer(to)) return false;
  const { markCopied } = await import('../sqlite/copy/copied-mark.ts');
  return markCopied(storePath(from), { to: shownLocation(to), atMs: options.clock() });
}
