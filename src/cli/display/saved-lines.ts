import type { RunRow, RunTotals } from '../../store/rows.ts';
import { EXIT } from '../exit-codes.ts';
import { asTyped } from '../lead.ts';
import { counted, duration, money } from '../terminal/format.ts';
import { shortPath } from '../terminal/short-path.ts';
import { columnsOf } from '../terminal/width.ts';

type Saved = {
  readonly run: RunRow;
  readonly totals: RunTotals;
  readonly durationMs: number;
  readonly codes: readonly number[];
  /** Names of the files that the manifest's `outputs` ask for. */
  readonly outputs?: readonly string[];
  /** False where they were not written. */
  readonly withFiles?: boolean;
  /** False where the run's folder is another machine's. */
  readonly filesHere?: boolean;
};

type Look = { readonly cwd: string; readonly lead: string; readonly columns: number };

/** Where the run's files are, and what it took. */
export function savedLines(
  { run, totals, durationMs, codes, outputs = [], withFiles = true, filesHere = true }: Saved,
  { cwd, lead, columns }: Look,
): string[] {
  const facts = [
    spentText(totals),
    totals.cacheHits > 0 ? `${counted(totals.cacheHits, 'job')} from cache` : '',
    duration(durationMs),
  ].filter((fact) => fact !== '');
  if (!withFiles) return [`  ${facts.join(', ')}`];
  if (!filesHere)
    return [
      `  ${facts.join(', ')}`,
      `  Files: on the machine that started the run; here: ${asTyped(`aieval artifacts pull ${run.runId}`, lead)}`,
    ];
  const folder = shortPath(run.outDir, cwd);
  const saved = codes.includes(EXIT.storage)
    ? `  Not all files of ${folder} are written`
    : `  Saved ${folder}/{${['summary.md', 'results.jsonl', ...outputs].join(',')}}`;
  const line = `${saved}    ${facts.join(', ')}`;
  return columnsOf(line) <= columns ? [line] : [saved, `        ${facts.join(', ')}`];
}

function spentText({ calls, cost, budget }: RunTotals): string {
  if (calls === 0) return 'no calls';
  const unpriced = cost.unpricedCalls > 0 && cost.spentNanoUsd !== null ? ` + ${counted(cost.unpricedCalls, 'call')} of unknown price` : '';
  const limit = budget === null || budget.budget.nanoUsd === null ? '' : ` of ${money(budget.budget.nanoUsd)}`;
  const spent = cost.spentNanoUsd === null ? 'price unknown' : money(cost.spentNanoUsd);
  const unknown = cost.uncertainNanoUsd > 0 ? ` + up to ${money(cost.uncertainNanoUsd)} unknown` : '';
  return `${counted(calls, 'call')}, ${spent}${unpriced}${unknown}${limit}`;
}
