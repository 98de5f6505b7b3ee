import { jsonLine } from '../../domain/hostile-text.ts';
import { usdOf } from '../../domain/money.ts';
import { size } from '../../domain/size.ts';
import type { CacheStats } from '../../store/cache-store.ts';
import { shownLocation } from '../../store/location.ts';
import { openState } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import type { Globals } from '../globals.ts';
import type { CliIo } from '../io.ts';
import { counted, dayAndClock, isoTime, money } from '../terminal/format.ts';
import { usableColumns } from '../terminal/look.ts';
import { type Column, tableLines } from '../terminal/table.ts';

const OFF_TERMINAL_COLUMNS = 200;

const HEAD: readonly Column[] = [
  { title: 'MODEL' },
  { title: 'ENTRIES', align: 'right' },
  { title: 'SIZE', align: 'right' },
  { title: 'PAID', align: 'right' },
];

/** `aieval cache stats`: what is kept for later runs. */
export async function cacheStatsCommand(io: CliIo, globals: Globals): Promise<number> {
  const { store, place } = await openState(io, { manifestPath: null, db: globals.db, out: globals.out, mustExist: true });
  try {
    const stats = await store.cacheStats();
    const columns = usableColumns(io.stdout, OFF_TERMINAL_COLUMNS);
    const text = globals.json ? jsonLine(statsRecord(stats)) : statsLines(stats, shownLocation(place.db), columns).join('\n');
    io.stdout.write(`${text}\n`);
    return EXIT.pass;
  } finally {
    await store.close();
  }
}

function statsRecord({ entries, sizeBytes, oldestAtMs, newestAtMs, knownBad, byModel }: CacheStats): object {
  return {
    v: 1,
    entries,
    sizeBytes,
    oldestAt: isoTime(oldestAtMs),
    newestAt: isoTime(newestAtMs),
    knownBad,
    models: byModel.map(({ paidNanoUsd, ...model }) => ({ ...model, paidUsd: usdOf(paidNanoUsd) })),
  };
}

function statsLines(stats: CacheStats, db: string, columns: number): string[] {
  const { entries, sizeBytes, oldestAtMs, newestAtMs, knownBad, byModel } = stats;
  const rows = byModel.map((model) => [model.model, String(model.entries), size(model.sizeBytes), money(model.paidNanoUsd)]);
  const span = oldestAtMs === null || newestAtMs === null ? '' : `, stored ${dayAndClock(oldestAtMs)} to ${dayAndClock(newestAtMs)}`;
  return [
    `${counted(entries, 'answer')} in ${db}: ${size(sizeBytes)}${span}`,
    ...(knownBad === 0 ? [] : [`${counted(knownBad, 'question')} whose answer is known to be bad: not asked again before aieval retry`]),
    ...(rows.length === 0 ? [] : ['', ...tableLines(HEAD, rows, columns)]),
  ];
}
