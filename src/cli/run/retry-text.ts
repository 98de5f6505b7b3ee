import { roundedUpUsd } from '../../domain/budget-bounds.ts';
import { oneLine } from '../../domain/hostile-text.ts';
import { usdOf } from '../../domain/money.ts';
import { exceeds, type Outlook } from '../../engine/budget-outlook.ts';
import type { RunRow } from '../../store/rows.ts';
import type { RetryOptions } from '../commands/options.ts';
import { priceText } from '../display/price-text.ts';
import { rowLabel, shortJobId } from '../jobs/job-names.ts';
import { usdOrNull } from '../jobs/record-shapes.ts';
import { boundRecord } from '../plan/plan-record.ts';
import { counted } from '../terminal/format.ts';
import { shellWord } from '../terminal/shell-word.ts';
import { priced, type RetryPrice } from './retry-price.ts';

const LONGEST_NAME = 400;

/** `retry --dry-run` for a person: each job with why it failed, what asking again takes, and the command that does it. */
export function dryRunLines(
  run: RunRow,
  price: RetryPrice,
  { options, warnings }: { options: RetryOptions; warnings: readonly string[] },
): string[] {
  const width = Math.max(0, ...price.jobs.map(({ reason }) => (reason ?? 'fail').length));
  const jobs = price.jobs.map((job) => {
    const name = oneLine(rowLabel(run, job), LONGEST_NAME);
    return `  ${(job.reason ?? 'fail').padEnd(width)}  ${shortJobId(job.jobId)}  ${name}`;
  });
  return [
    `Would ask ${counted(price.jobs.length, 'job')} of run ${run.runId} again: ${priceText(priced(price))}`,
    ...jobs,
    ...warnings.map((message) => `warning: ${message}`),
    `next: ${retryLine(run, options, keptBound(price.bounds))}`,
  ];
}

/** A bound in USD that will do, where that of the run will not. */
function keptBound(bounds: readonly Outlook[]): number | null {
  const usd = bounds.find(({ bound }) => bound === 'usd');
  return usd !== undefined && exceeds(usd, usd.expected) ? roundedUpUsd(usdOf(usd.used + (usd.worst ?? usd.expected ?? 0))) : null;
}

/** The retry without `--dry-run`, under this bound in place of its own. */
export function retryLine({ runId }: RunRow, { reason, failed, job, maxCost, layers }: RetryOptions, most: number | null): string {
  const typed = layers?.from.maxCost === undefined ? maxCost : undefined;
  const words = [
    ...(failed === true ? ['--failed'] : []),
    ...(reason === undefined ? [] : ['--reason', reason.join(',')]),
    ...(job ?? []).flatMap((name) => ['--job', name]),
    ...((most ?? typed) === undefined ? [] : ['--max-cost', String(most ?? typed)]),
  ];
  return ['aieval retry', runId, ...words.map(shellWord)].join(' ');
}

/** `retry --dry-run --json`. Unknown costs are `null`, never 0. */
export function dryRunRecord(run: RunRow, price: RetryPrice): object {
  const { jobs, otherJobs, calls, total, bounds } = price;
  return {
    v: 1,
    run: run.runId,
    dryRun: true,
    jobs: jobs.map(({ jobId, documentId, ...job }) => ({ jobId, document: documentId, ...job })),
    otherJobs,
    calls,
    tokens: { input: total.inputTokens, output: total.outputTokens, maxOutput: total.maxOutputTokens },
    cost: { expectedUsd: usdOrNull(total.expectedNanoUsd), worstCaseUsd: usdOrNull(total.worstNanoUsd) },
    budget: bounds.map(boundRecord),
  };
}
