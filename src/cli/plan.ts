import type { ResolvedManifest } from '../domain/manifest/resolved.ts';
import { settingsOf } from '../engine/enqueue.ts';
import type { NewJob } from '../store/plan-rows.ts';
import { readState } from './context.ts';
import { createDisplay } from './display/create-display.ts';
import { EXIT } from './exit-codes.ts';
import type { Globals } from './globals.ts';
import type { CliIo } from './io.ts';
import { rowLabel } from './job-names.ts';
import { openPool } from './open-pool.ts';
import type { PlanOptions } from './options.ts';
import { type Prepared, prepare, readManifest } from './prepare.ts';
import { amount, counted } from './terminal/format.ts';
import { usableColumns } from './terminal/look.ts';
import { shellWord } from './terminal/shell-word.ts';
import { tableLines } from './terminal/table.ts';

const OFF_TERMINAL_COLUMNS = 120;

type ModelPlan = {
  readonly model: string;
  readonly jobs: number;
  readonly cached: number;
  /** Of the jobs to run. */
  readonly inputTokens: number;
  readonly maxOutputTokens: number | null;
};

type JobPlan = { readonly job: NewJob; readonly cached: boolean };

/** `aieval plan MANIFEST`: what a run would do. Calls nobody and creates nothing. Returns the exit code. */
export async function planCommand(io: CliIo, globals: Globals, argument: string, options: PlanOptions): Promise<number> {
  const loaded = await readManifest(io, argument);
  const display = await createDisplay({ ...globals, json: false }, io);
  const pool = openPool();
  try {
    const prepared = await prepare(io, loaded, { pool, onEvent: display.onEvent });
    display.close();
    const jobs = await planned(io, globals, prepared);
    const models = modelPlans(prepared.manifest, jobs);
    const warnings = [...loaded.warnings, ...documentWarnings(prepared)];
    if (globals.json) io.stdout.write(`${JSON.stringify(planRecord(jobs, models, warnings))}\n`);
    else for (const line of planLines(io, prepared, { jobs, models, warnings, list: options.list === true })) io.stdout.write(`${line}\n`);
    return EXIT.pass;
  } finally {
    display.close();
    await pool.close();
  }
}

/** Which jobs have an answer already; none without a database. */
async function planned(io: CliIo, globals: Globals, { manifest, manifestPath, plan }: Prepared): Promise<JobPlan[]> {
  const { cacheMode, cacheTtlMs } = settingsOf(manifest);
  const keys = plan.jobs.flatMap(({ steps }) => steps.map(({ key }) => key));
  const state =
    cacheMode === 'off' || cacheMode === 'refresh' ? null : await readState(io, { manifestPath, db: globals.db, out: globals.out });
  if (state === null) return plan.jobs.map((job) => ({ job, cached: false }));
  try {
    const known = await state.store.cachedKeys(keys, null, cacheTtlMs);
    return plan.jobs.map((job) => ({ job, cached: job.steps.length > 0 && job.steps.every(({ key }) => known.has(key)) }));
  } finally {
    await state.store.close();
  }
}

function modelPlans(manifest: ResolvedManifest, jobs: readonly JobPlan[]): ModelPlan[] {
  return Object.values(manifest.models).map((model) => {
    const own = jobs.filter(({ job }) => job.model === model.id && job.failure === null);
    const toRun = own.filter(({ cached }) => !cached);
    const perJob = model.params.maxOutputTokens;
    return {
      model: model.id,
      jobs: own.length,
      cached: own.length - toRun.length,
      inputTokens: toRun.reduce((sum, { job }) => sum + job.steps.reduce((tokens, step) => tokens + step.inputTokens, 0), 0),
      maxOutputTokens: perJob === undefined ? null : perJob * toRun.length,
    };
  });
}

function documentWarnings({ documents, manifest, plan }: Prepared): string[] {
  const tooLong = plan.jobs.filter(({ failure }) => failure?.reason === 'input_too_long');
  return [
    ...documents.flatMap(({ documentId, extraction }) =>
      extraction.ok ? extraction.content.warnings.map((text) => `${documentId}: ${text}`) : [],
    ),
    ...documents.flatMap(({ documentId, extraction }) =>
      extraction.ok ? [] : [`${documentId}: ${extraction.reason}: ${extraction.message}`],
    ),
    ...tooLong.map((job) => `${rowLabel({ manifest }, job)}: input_too_long: ${job.failure?.message ?? ''}`),
  ];
}

function planRecord(jobs: readonly JobPlan[], models: readonly ModelPlan[], warnings: readonly string[]): object {
  const counts = countJobs(jobs);
  const input = models.reduce((sum, { inputTokens }) => sum + inputTokens, 0);
  const tokens = { input, maxOutput: totalOutput(models) };
  return { v: 1, jobs: counts, tokens, cost: { expectedUsd: null, worstCaseUsd: null }, models, warnings };
}

function countJobs(jobs: readonly JobPlan[]): { total: number; cached: number; failed: number; toRun: number } {
  const cached = jobs.filter((job) => job.cached).length;
  const failed = jobs.filter(({ job }) => job.failure !== null).length;
  return { total: jobs.length, cached, failed, toRun: jobs.length - cached - failed };
}

function totalOutput(models: readonly ModelPlan[]): number | null {
  return models.reduce<number | null>(
    (sum, { maxOutputTokens }) => (sum === null || maxOutputTokens === null ? null : sum + maxOutputTokens),
    0,
  );
}

type Shown = {
  readonly jobs: readonly JobPlan[];
  readonly models: readonly ModelPlan[];
  readonly warnings: readonly string[];
  readonly list: boolean;
};

function planLines(io: CliIo, prepared: Prepared, { jobs, models, warnings, list }: Shown): string[] {
  const { total, cached, failed, toRun } = countJobs(jobs);
  const columns = usableColumns(io.stdout, OFF_TERMINAL_COLUMNS);
  const head = [
    { title: 'MODEL' },
    ...['JOBS', 'CACHED', 'TO RUN', 'TOKENS IN', 'OUT AT MOST'].map((title) => ({ title, align: 'right' as const })),
  ];
  const rows = models.map((model) => [
    model.model,
    String(model.jobs),
    String(model.cached),
    String(model.jobs - model.cached),
    amount(model.inputTokens),
    model.maxOutputTokens === null ? 'not stated' : amount(model.maxOutputTokens),
  ]);
  return [
    `${shellWord(prepared.manifestPath)} → ${counted(prepared.documents.length, 'document')}, ${counted(total, 'job')}: ${cached} cached, ${failed} without a usable document, ${toRun} to run`,
    ...tableLines(head, rows, columns),
    ...(list ? ['', ...jobLines(prepared.manifest, jobs)] : []),
    'Tokens are estimated from the text, 10 % above the usual; retries and re-asks come on top.',
    ...warnings.map((warning) => `warning: ${warning}`),
    `next: aieval run ${shellWord(prepared.manifestPath)}`,
  ];
}

/** With the names that `show` and `retry --job` take. */
function jobLines(manifest: ResolvedManifest, jobs: readonly JobPlan[]): string[] {
  return jobs.map(
    ({ job, cached }) => `${job.failure?.reason ?? (cached ? 'cached' : 'to run')}\t${rowLabel({ manifest }, job)}\t${job.jobId}`,
  );
}
