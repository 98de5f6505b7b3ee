import { size } from '../../domain/size.ts';
import type { Compaction } from '../../store/maintenance.ts';
import type { CliIo } from '../io.ts';
import { counted, duration } from '../terminal/format.ts';
import { usableColumns } from '../terminal/look.ts';
import { type Column, tableLines } from '../terminal/table.ts';
import type { GcPlan } from './gc-plan.ts';

const OFF_TERMINAL_COLUMNS = 200;

const HEAD: readonly Column[] = [
  { title: 'RUN' },
  { title: 'NAME' },
  { title: 'STATE' },
  { title: 'ENDED', align: 'right' },
  { title: 'JOBS', align: 'right' },
  { title: 'FILES', align: 'right' },
];

/** The runs that go, as a table; nothing when none does. */
export function planLines({ runs }: GcPlan, io: CliIo): string[] {
  if (runs.length === 0) return [];
  const rows = runs.map(({ run, jobs, sizeBytes }) => [
    run.runId,
    run.name,
    run.state,
    `${duration(io.now() - (run.finishedAtMs ?? io.now()))} ago`,
    String(jobs),
    size(sizeBytes),
  ]);
  return tableLines(HEAD, rows, usableColumns(io.stdout, OFF_TERMINAL_COLUMNS));
}

/** `3 runs, 12 cache entries and 40 rows that nothing needs (1.2 MB)`. */
export function planText(plan: GcPlan): string {
  const { runs, cacheEntries, unusedRows } = plan;
  const parts = [
    ...(runs.length === 0 ? [] : [counted(runs.length, 'run')]),
    ...(cacheEntries === 0 ? [] : [counted(cacheEntries, 'cache entry', 'cache entries')]),
    ...(unusedRows === 0 ? [] : [`${counted(unusedRows, 'row')} that nothing needs`]),
  ];
  const last = parts.pop() ?? 'nothing';
  return `${parts.length === 0 ? last : `${parts.join(', ')} and ${last}`} (${size(sizeOf(plan))})`;
}

/** What was done, for a person. */
export function doneText(plan: GcPlan, compaction: Compaction): string {
  return [`Removed ${planText(plan)}.`, ...SPACE_TEXT[compaction]].join('\n');
}

const SPACE_TEXT: Readonly<Record<Compaction, readonly string[]>> = {
  done: [],
  busy: ['The database gives its part back when nobody works on it: aieval gc'],
  kept: ['The database keeps its part for what comes next: giving it back would take long, or more room than the disk has.'],
};

/** The object of `--json`; `removed` holds what would go when `dryRun` is true. */
export function gcRecord(plan: GcPlan, dryRun: boolean): object {
  return {
    v: 1,
    dryRun,
    removed: plan.runs.map(({ run, jobs, sizeBytes }) => ({ run: run.runId, jobs, sizeBytes })),
    cacheEntries: plan.cacheEntries,
    unusedRows: plan.unusedRows,
    sizeBytes: sizeOf(plan),
  };
}

function sizeOf({ runs, unusedBytes }: GcPlan): number {
  return runs.reduce((sum, { sizeBytes }) => sum + sizeBytes, unusedBytes);
}
