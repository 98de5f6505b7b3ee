import { jsonLine } from '../../domain/hostile-text.ts';
import { REASONS, type Reason } from '../../domain/reason.ts';
import { covers, neededBy, tagsOf } from '../../domain/tags.ts';
import type { RetrySelection } from '../../store/plan-rows.ts';
import type { RunRow } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import type { RetryOptions } from '../commands/options.ts';
import { allowedHosts } from '../config/allow-hosts.ts';
import { withStore } from '../context.ts';
import { createDisplay } from '../display/create-display.ts';
import type { Display } from '../display/display.ts';
import { EXIT } from '../exit-codes.ts';
import type { Globals } from '../globals.ts';
import type { CliIo } from '../io.ts';
import { findJobIds } from '../jobs/find-job.ts';
import { findRun } from '../jobs/find-run.ts';
import { asTyped } from '../lead.ts';
import { observed } from '../observe/observed.ts';
import { openPool } from '../open-pool.ts';
import { expectedTooMuch, worstTooMuch } from '../plan/budget-words.ts';
import { counted } from '../terminal/format.ts';
import { tellStore } from '../told-store.ts';
import { nothingLines, readNothing } from './nothing-to-retry.ts';
import { RUN_PATIENCE_MS } from './patience.ts';
import { refusePaused } from './refuse-paused.ts';
import { priced, type RetryPrice, readPrice, refuseUnbounded, refuseUsedUp, termsOf } from './retry-price.ts';
import { dryRunLines, dryRunRecord, retryLine } from './retry-text.ts';
import { probeRunFolder } from './run-folder.ts';
import { runHere } from './run-here.ts';
import { type WorkTools, workOn } from './work-on.ts';

/**
 * `aieval retry [RUN]`: queues jobs that could not be evaluated, or with `--failed` those that did not pass, again, and works on them with
 * the run's own manifest. Returns the exit code.
 */
export async function retryCommand(io: CliIo, globals: Globals, name: string, options: RetryOptions): Promise<number> {
  const allowHosts = allowedHosts(io.env, options.allowHost);
  return await observed(io, globals, options, (observation) =>
    withStore(
      io,
      { ...globals, onLockRetry: observation.onLockRetry, patience: observation.waiting(RUN_PATIENCE_MS) },
      async (store, { db }) => {
        await tellStore(io, globals, db);
        const display = observation.display(await createDisplay(globals, io), store, 'told');
        const pool = openPool();
        try {
          return await retry(io, { store, display, pool, allowHosts }, { name, globals, options });
        } finally {
          display.close();
          await pool.close();
        }
      },
    ),
  );
}

type Retry = { readonly name: string; readonly globals: Globals; readonly options: RetryOptions };

async function retry(io: CliIo, tools: WorkTools, { name, globals, options }: Retry): Promise<number> {
  const { store, display } = tools;
  const run = runHere(await findRun(store, name), { store });
  refusePaused(run);
  const selection = await selectionOf(store, run, options);
  const terms = options.maxCost === undefined ? undefined : termsOf(run, options.maxCost);
  const price = await readPrice(store, { run, selection, terms });
  if (price.jobs.length === 0) {
    if (options.dryRun === true && globals.json) io.stdout.write(`${jsonLine(dryRunRecord(run, price))}\n`);
    return await tellNothing(io, store, { run, selection });
  }
  if (options.maxCost !== undefined)
    refuseUnbounded(run, price.jobs, { maxCost: options.maxCost, name: maxCostName(options), cwd: io.cwd });
  if (options.dryRun === true) return tellDryRun(io, globals, { run, price, options });
  if (options.maxCost !== undefined) refuseUsedUp(price, maxCostName(options), (usd) => retryLine(run, options, usd));
  probeRunFolder(store, run);
  tellPrice(display, { run, price, options, keepsResults: selection.of === 'failed' });
  const { requeued } = await store.retryJobs(run.runId, selection, { terms, maxQueueDepth: queueDepthOf(run, options) });
  if (requeued === 0) return await tellNothing(io, store, { run, selection });
  return await workOn(io, { ...tools, run, jobs: requeued, askedAgain: askedAgain(selection) }, options);
}

/** A flag or a variable beats the run's own, that beats the user config. */
function queueDepthOf({ manifest }: RunRow, { maxQueueDepth, layers }: RetryOptions): number | null {
  return maxQueueDepth ?? manifest.maxQueueDepth ?? layers?.unstated.maxQueueDepth ?? null;
}

function maxCostName({ layers }: RetryOptions): string {
  return layers?.from.maxCost ?? '--max-cost';
}

async function selectionOf(store: Store, run: RunRow, { job, reason, failed }: RetryOptions): Promise<RetrySelection> {
  const jobIds = job === undefined ? null : await findJobIds(store, run, job);
  return { of: failed === true ? 'failed' : 'dlq', jobIds, reasons: reason ?? null };
}

function tellDryRun(io: CliIo, { json }: Globals, told: { run: RunRow; price: RetryPrice; options: RetryOptions }): number {
  const { run, price, options } = told;
  const lines = (): string =>
    asTyped(dryRunLines(run, price, { options, warnings: warningsOf(run, price, options) }).join('\n'), io.notes.lead);
  io.stdout.write(`${json ? jsonLine(dryRunRecord(run, price)) : lines()}\n`);
  return EXIT.pass;
}

/** Before the first call: what it will take, and whether the budget is likely to stop it. */
function tellPrice(
  { onEvent }: Display,
  { run, price, options, keepsResults }: { run: RunRow; price: RetryPrice; options: RetryOptions; keepsResults: boolean },
): void {
  onEvent({ kind: 'retry.planned', runId: run.runId, jobs: price.jobs.length, ...priced(price), keepsResults });
  for (const message of warningsOf(run, price, options)) onEvent({ kind: 'warning', message });
}

function warningsOf(run: RunRow, price: RetryPrice, { tags = [] }: RetryOptions): string[] {
  return [...tooMuch(run, price), ...untaggedWarning(run, price, tags)];
}

/** The budget is kept whatever is expected, as of `run`: what will not do is worth a word, not a refusal. */
function tooMuch({ manifest, manifestPath }: RunRow, { bounds }: RetryPrice): string[] {
  const expected = expectedTooMuch(bounds, { manifest, manifestPath });
  return [...(expected === null ? [] : [expected.message]), ...worstTooMuch(bounds, { manifest, manifestPath })];
}

/** Jobs that this start takes out of the DLQ, and that another one has to ask. */
function untaggedWarning({ settings }: RunRow, { jobs }: RetryPrice, own: readonly string[]): string[] {
  const needs = jobs.map(({ task }) => neededBy(settings.requires, task)).filter((needed) => !covers(own, needed));
  if (needs.length === 0) return [];
  const tags = [...new Set(needs.flatMap(tagsOf))].sort().join(', ');
  return [
    `${counted(needs.length, 'job')} of these ${needs.length === 1 ? 'needs' : 'need'} a worker with tags ${tags}, which this one has not`,
  ];
}

/** A person who named jobs left others of the same reason as they were. */
function askedAgain({ of, jobIds, reasons }: RetrySelection): readonly Reason[] {
  return of === 'dlq' && jobIds === null ? (reasons ?? REASONS) : [];
}

async function tellNothing(io: CliIo, store: Store, { run, selection }: { run: RunRow; selection: RetrySelection }): Promise<number> {
  const lines = nothingLines(await readNothing(store, run, { selection, cwd: io.cwd, nowMs: io.now() }), io.cwd);
  io.stderr.write(lines.map((line) => `${asTyped(line, io.notes.lead)}\n`).join(''));
  return EXIT.empty;
}
