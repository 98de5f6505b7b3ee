import type { ResolvedManifest } from '../../domain/manifest/resolved.ts';
import { selectionWords } from '../../domain/selection.ts';
import type { Outlook } from '../../engine/budget-outlook.ts';
import type { Estimate } from '../../engine/plan-cost.ts';
import type { TimeEstimate } from '../../engine/plan-time.ts';
import type { Origin } from '../config/config-origins.ts';
import type { CliIo } from '../io.ts';
import { asTyped } from '../lead.ts';
import { amount, amountTexts, counted, money, moneyTexts } from '../terminal/format.ts';
import { hanging } from '../terminal/hanging.ts';
import { usableColumns } from '../terminal/look.ts';
import { shellWord } from '../terminal/shell-word.ts';
import { shortPath } from '../terminal/short-path.ts';
import { type Column, tableLines } from '../terminal/table.ts';
import { wrapped } from '../terminal/wrap.ts';
import type { DocumentFault } from './document-mends.ts';
import type { JobFate } from './job-fates.ts';
import type { CostOutlook } from './outlook.ts';
import { basisLines, timeLine } from './plan-basis.ts';
import { jobTable } from './plan-list.ts';
import type { PlanTally } from './plan-tally.ts';
import type { Prepared } from './prepare.ts';
import { selectedText } from './select-jobs.ts';

/** All that `plan` says. */
export type PlanView = {
  readonly prepared: Prepared;
  readonly tally: PlanTally;
  /** The same jobs once more, in plan order, some at a time. */
  readonly fates: () => AsyncIterable<readonly JobFate[]>;
  readonly outlook: CostOutlook;
  readonly warnings: readonly string[];
  /** Documents that cannot be asked, each with what mends it. */
  readonly faults: readonly DocumentFault[];
  /** What is worth knowing and wrong in no way. */
  readonly notes: readonly string[];
  /** What may be changed in the manifest so that more can be asked. */
  readonly fixes: readonly string[];
  readonly time: TimeEstimate;
  /** Options of the plan that the run needs, too, but those that select. */
  readonly again: readonly string[];
  /** No run of the manifest's name was started yet. */
  readonly isFirstRun: boolean;
};

const OFF_TERMINAL_COLUMNS = 120;

export type PlanParts = {
  /** Each job; `null`: nobody asked. */
  readonly list: readonly JobFate[] | null;
  /** What to do with the plan. */
  readonly next: boolean;
  /** Where settings came from; `null`: nobody asked. */
  readonly origins: readonly Origin[] | null;
};

/** The plan as lines for a person. */
export function planLines(io: CliIo, view: PlanView, { list, next, origins }: PlanParts): string[] {
  const { prepared, outlook, time, warnings, notes } = view;
  const path = shellWord(shortPath(prepared.manifestPath, io.cwd));
  // Off a terminal a line is one, whatever its length.
  const columns = usableColumns(io.stdout, Number.POSITIVE_INFINITY);
  const fitted = (lines: readonly string[]) => lines.flatMap((line) => wrapped(line, columns));
  // A path is told whole; a command stays one line, to be copied.
  const told = (lines: readonly string[]) => hanging(lines, columns);
  const { selected } = prepared;
  return [
    ...fitted([`${path} → ${headline(view)}`, ...(selected === null ? [] : [selectedText(selected)])]),
    ...modelTable(view, usableColumns(io.stdout, OFF_TERMINAL_COLUMNS)),
    ...fitted(outlook.bounds.map((bound) => boundLine(bound, prepared.manifest))),
    ...(list === null ? [] : ['', ...jobTable(prepared, list, usableColumns(io.stdout, OFF_TERMINAL_COLUMNS)), '']),
    ...fitted([...timeLine(time), ...basisLines(prepared.manifest, outlook.models)]),
    ...(origins === null ? [] : ['', ...tableLines(ORIGINS, originRows(origins), usableColumns(io.stdout, OFF_TERMINAL_COLUMNS)), '']),
    ...told(warnings.map((warning) => `warning: ${warning}`)),
    ...faultLines(view, told),
    ...told(notes.map((note) => `note: ${note}`)),
    ...(next ? nextSteps(view, runOf(io, view)).map((step) => `next: ${asTyped(step, io.notes.lead)}`) : []),
  ];
}

const ORIGINS: readonly Column[] = [{ title: 'SETTING' }, { title: 'VALUE' }, { title: 'FROM' }];

function originRows(origins: readonly Origin[]): string[][] {
  return origins.map(({ name, value, from }) => [name, value, from]);
}

/** The command that starts the run that was planned. */
export function runOf(io: CliIo, view: PlanView): string {
  return ['aieval run', ...[shortPath(view.prepared.manifestPath, io.cwd), ...optionsOf(view)].map(shellWord)].join(' ');
}

/** Options of the run that was planned. */
export function optionsOf({ prepared, again }: PlanView): string[] {
  return [...again, ...(prepared.selected === null ? [] : selectionWords(prepared.selected.selection))];
}

/** Documents of which the mending is told; the same holds for the others. */
const MOST_MENDED = 10;

/** What mends a document stands below it. */
function faultLines({ faults }: PlanView, told: (lines: readonly string[]) => string[]): string[] {
  return faults.flatMap(({ text, next }, index) => [
    ...told([`warning: ${text}`]),
    ...(index < MOST_MENDED ? next.map((step) => `  next: ${step}`) : []),
  ]);
}

/** More jobs than these are worth a trial of a few. */
const MANY_JOBS = 10;
const TRIAL_JOBS = 3;

/** A run that can ask nothing is not worth starting. */
function nextSteps(view: PlanView, run: string): string[] {
  const { tally, fixes } = view;
  if (tally.counts().jobs > 0) return [...fixes, ...(isWorthATrial(view) ? [`${run} --first ${TRIAL_JOBS}`] : []), run];
  return fixes.length > 0 ? [...fixes] : ['mend the documents, or name others in the manifest'];
}

/** Its answers are not paid again. */
function isWorthATrial({ tally, isFirstRun, prepared }: PlanView): boolean {
  return isFirstRun && tally.counts().toRun > MANY_JOBS && (prepared.selected?.selection.first ?? null) === null;
}

function headline({ prepared, tally }: Pick<PlanView, 'prepared' | 'tally'>): string {
  const { documents, found, manifest } = prepared;
  const { total, cached, failed, knownBad, toRun } = tally.counts();
  const sample = manifest.sample === null ? '' : ` (sample of ${found})`;
  const bad = knownBad === 0 ? '' : `, ${knownBad} known to be bad`;
  const jobs = `${cached} cached, ${failed} cannot be asked${bad}, ${toRun} to run`;
  return `${counted(documents.length, 'document')}${sample}, ${counted(total, 'job')}: ${jobs}${callsText(tally)}`;
}

/** Where jobs and calls are not the same. */
function callsText(tally: PlanTally): string {
  const toRun = tally.callsToRun();
  return tally.isInParts() && toRun > 0 ? ` in ${counted(toRun, 'call')}` : '';
}

const CALLS = 'CALLS';
const NUMBERS = ['JOBS', 'CACHED', 'TO RUN', CALLS, 'TOKENS IN', 'OUT', 'OUT MAX', 'COST', 'AT MOST'];
const HEAD: readonly Column[] = [{ title: 'MODEL' }, ...NUMBERS.map((title) => ({ title, align: 'right' as const }))];

/** Calls stand beside jobs only where they are not the same. */
function modelTable(view: PlanView, columns: number): string[] {
  const shown = HEAD.map(({ title }) => title !== CALLS || view.tally.isInParts());
  return tableLines(
    HEAD.filter((_, at) => shown[at]),
    rowsOf(view).map((row) => row.filter((_, at) => shown[at])),
    columns,
  );
}

function rowsOf({ tally, outlook }: PlanView): string[][] {
  const rows = outlook.models.map((estimate) => [estimate.model, ...numbers(tally, estimate.model, estimate)]);
  return rows.length < 2 ? rows : [...rows, ['total', ...numbers(tally, null, outlook.total)]];
}

/** Of one model, or of all. */
function numbers(tally: PlanTally, model: string | null, estimate: Estimate): string[] {
  const { jobs, cached, toRun } = tally.counts(model);
  const tokens = (count: number | null) => (count === null ? 'unknown' : amount(count));
  return [
    ...[jobs, cached, toRun, tally.callsToRun(model)].map(String),
    amount(estimate.inputTokens),
    tokens(estimate.outputTokens),
    tokens(estimate.maxOutputTokens),
    money(estimate.expectedNanoUsd),
    money(estimate.worstNanoUsd),
  ];
}

function fits({ limit, used, expected, worst }: Omit<Outlook, 'bound'>): string {
  if (used + (expected ?? 0) > limit) return 'is too little';
  return worst === null || used + worst > limit ? 'may not do' : 'ok';
}

function boundLine({ bound, limit, used, expected, worst }: Outlook, { budget }: ResolvedManifest): string {
  const name = { usd: 'budget', tokens: 'budget in tokens', group: `budget of group "${budget?.group?.name ?? ''}"` }[bound];
  const [most, before, likely, longest] = (bound === 'tokens' ? amountTexts : moneyTexts)([limit, used, expected, worst]);
  return `${name} ${most} ${fits({ limit, used, expected, worst })}: ${before} used, ${likely} expected, ${longest} at most`;
}
