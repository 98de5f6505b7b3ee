import type { ResolvedManifest } from '../domain/manifest/resolved.ts';
import type { Price } from '../domain/money.ts';
import type { Outlook } from '../engine/budget-outlook.ts';
import { callsOf, type Estimate, type ModelEstimate } from '../engine/plan-cost.ts';
import type { NewJob } from '../store/plan-rows.ts';
import type { CliIo } from './io.ts';
import { rowLabel } from './job-names.ts';
import type { CostOutlook } from './outlook.ts';
import type { Prepared } from './prepare.ts';
import { amount, amountTexts, counted, money, moneyTexts } from './terminal/format.ts';
import { usableColumns } from './terminal/look.ts';
import { shellWord } from './terminal/shell-word.ts';
import { shortPath } from './terminal/short-path.ts';
import { type Column, tableLines } from './terminal/table.ts';
import { wrapped } from './terminal/wrap.ts';
import { type JobFate, toCall } from './to-call.ts';

/** All that `plan` says. */
export type PlanView = {
  readonly prepared: Prepared;
  /** In plan order. */
  readonly fates: readonly JobFate[];
  readonly outlook: CostOutlook;
  readonly warnings: readonly string[];
  /** What may be changed in the manifest so that more can be asked. */
  readonly fixes: readonly string[];
};

const OFF_TERMINAL_COLUMNS = 120;

/** The plan as lines for a person; `list` adds one for each job, `next` what to do with it. */
export function planLines(io: CliIo, view: PlanView, { list, next }: { readonly list: boolean; readonly next: boolean }): string[] {
  const { prepared, fates, outlook, warnings } = view;
  const path = shellWord(shortPath(prepared.manifestPath, io.cwd));
  // Off a terminal a line is one, whatever its length.
  const columns = usableColumns(io.stdout, Number.POSITIVE_INFINITY);
  return [
    `${path} → ${headline(view)}`,
    ...tableLines(HEAD, rowsOf(view), usableColumns(io.stdout, OFF_TERMINAL_COLUMNS)),
    ...outlook.bounds.flatMap((bound) => wrapped(boundLine(bound, prepared.manifest), columns)),
    ...(list ? ['', ...fates.map((each) => jobLine(prepared.manifest, each))] : []),
    ...basisLines(prepared.manifest, outlook.models),
    ...warnings.map((warning) => `warning: ${warning}`),
    ...(next ? nextSteps(view, `aieval run ${path}`).map((step) => `next: ${step}`) : []),
  ];
}

/** A run that can ask nothing is not worth starting. */
function nextSteps({ fates, fixes }: PlanView, run: string): string[] {
  if (countFates(fates).jobs > 0) return [...fixes, run];
  return fixes.length > 0 ? [...fixes] : ['mend the documents, or name others in the manifest'];
}

export type FateCounts = {
  readonly total: number;
  /** Those that can be asked. */
  readonly jobs: number;
  readonly cached: number;
  readonly failed: number;
  readonly knownBad: number;
  readonly toRun: number;
};

/** How many jobs have which fate. */
export function countFates(fates: readonly JobFate[]): FateCounts {
  const count = (fate: JobFate['fate']) => fates.filter((each) => each.fate === fate).length;
  const [cached, failed, knownBad, toRun] = [count('cached'), count('failed'), count('known_bad'), count('to_run')];
  return { total: fates.length, jobs: fates.length - failed, cached, failed, knownBad, toRun };
}

/** Calls that the jobs take which can be asked, were nothing known yet; and those that will be made. */
export function countCalls({ prepared, fates }: Pick<PlanView, 'prepared' | 'fates'>): { readonly total: number; readonly toRun: number } {
  return { total: callsOf(fates.map(({ job }) => job)), toRun: callsOf(toCall(prepared.manifest, fates).jobs) };
}

function headline(view: Pick<PlanView, 'prepared' | 'fates'>): string {
  const { documents, found, manifest } = view.prepared;
  const { total, cached, failed, knownBad, toRun } = countFates(view.fates);
  const sample = manifest.sample === null ? '' : ` (sample of ${found})`;
  const bad = knownBad === 0 ? '' : `, ${knownBad} known to be bad`;
  const jobs = `${cached} cached, ${failed} cannot be asked${bad}, ${toRun} to run`;
  return `${counted(documents.length, 'document')}${sample}, ${counted(total, 'job')}: ${jobs}${callsText(view)}`;
}

/** Where jobs and calls are not the same. */
function callsText(view: Pick<PlanView, 'prepared' | 'fates'>): string {
  if (view.fates.every(({ job }) => callsInJob(job) < 2)) return '';
  const { total, toRun } = countCalls(view);
  return ` (${toRun} of ${counted(total, 'call')})`;
}

function callsInJob({ steps, later }: NewJob): number {
  return steps.length + later.length;
}

const NUMBERS = ['JOBS', 'CACHED', 'TO RUN', 'TOKENS IN', 'OUT', 'OUT MAX', 'EXPECTED', 'WORST CASE'];
const HEAD: readonly Column[] = [{ title: 'MODEL' }, ...NUMBERS.map((title) => ({ title, align: 'right' as const }))];

function rowsOf({ fates, outlook }: PlanView): string[][] {
  const rows = outlook.models.map((estimate) => {
    const own = fates.filter(({ job }) => job.model === estimate.model);
    return [estimate.model, ...numbers(own, estimate)];
  });
  return rows.length < 2 ? rows : [...rows, ['total', ...numbers(fates, outlook.total)]];
}

function numbers(fates: readonly JobFate[], estimate: Estimate): string[] {
  const { jobs, cached, toRun } = countFates(fates);
  const tokens = (count: number | null) => (count === null ? 'unknown' : amount(count));
  return [
    ...[jobs, cached, toRun].map(String),
    amount(estimate.inputTokens),
    tokens(estimate.outputTokens),
    tokens(estimate.maxOutputTokens),
    money(estimate.expectedNanoUsd),
    money(estimate.worstNanoUsd),
  ];
}

function boundLine({ bound, limit, used, expected, worst }: Outlook, { budget }: ResolvedManifest): string {
  const name = { usd: 'budget', tokens: 'budget in tokens', group: `budget of group "${budget?.group?.name ?? ''}"` }[bound];
  const [most, before, likely, longest] = (bound === 'tokens' ? amountTexts : moneyTexts)([limit, used, expected, worst]);
  return `${name} ${most}: ${before} used, ${likely} expected, ${longest} in the worst case`;
}

/** With the names that `show` and `retry --job` take. */
function jobLine(manifest: ResolvedManifest, { job, fate }: JobFate): string {
  const line = `${job.failure?.reason ?? fate.replace('_', ' ')}\t${rowLabel({ manifest }, job)}\t${job.jobId}`;
  return callsInJob(job) > 1 ? `${line}\t${partsText(job)}` : line;
}

function partsText({ steps, later }: NewJob): string {
  return `${counted(steps.length, 'part')}${later.length === 0 ? '' : ' + reduce'}`;
}

/** On what the costs rest. */
function basisLines({ models }: ResolvedManifest, estimates: readonly ModelEstimate[]): string[] {
  const prices = new Map(Object.values(models).map(({ id, price }) => [id, priceText(price)]));
  const lengths = new Map(estimates.flatMap(({ model, outputBasis }) => (outputBasis === null ? [] : [[model, BASES[outputBasis]]])));
  return [
    `prices: ${grouped(prices)}`,
    ...(lengths.size === 0 ? [] : [`length of answers: ${grouped(lengths)}`]),
    "tokens: counted as OpenAI's models count them; retries and re-asks come on top",
  ];
}

function priceText(price: Price | 'free' | null): string {
  if (price === null) return 'unknown';
  if (price === 'free') return 'free';
  const origin = price.listed === true ? 'list price' : 'manifest';
  return price.asOf === undefined ? origin : `${origin} of ${price.asOf}`;
}

const BASES = {
  measured: 'as of earlier ones',
  half: 'half of maxOutputTokens',
  mixed: 'as of earlier ones, where there are any, else half of maxOutputTokens',
};

/** `words (a, b); other words (c)`. */
function grouped(wordsOf: ReadonlyMap<string, string>): string {
  const all = [...new Set(wordsOf.values())];
  return all.map((words) => `${words} (${[...wordsOf.keys()].filter((model) => wordsOf.get(model) === words).join(', ')})`).join('; ');
}
