import type { Page, Span } from '../../domain/document.ts';
import type { CallRow, JobRecord, StepRow } from '../../store/rows.ts';
import { counted, money } from '../terminal/format.ts';
import { tableLines } from '../terminal/table.ts';
import { callSteps, hasParts } from './job-steps.ts';

const MOST_ROWS = 30;

/** One line for each part in which the document was asked, and one for the answer that was made of theirs; nothing for a job without parts. */
export function partLines(record: JobRecord, pages: readonly Page[], columns: number): string[] {
  if (!hasParts(record)) return [];
  const named = callSteps(record);
  const all = named.filter(({ step }) => step.kind === 'chunk' || step.kind === 'reduce');
  // Of very many those are of interest that are not there yet, or failed.
  const shown = all.length <= MOST_ROWS ? all : all.filter(({ step }) => step.state !== 'succeeded').slice(0, MOST_ROWS);
  const head = ['PART', ...(pages.length === 0 ? [] : ['PAGES']), 'STATE', 'TRIES', 'COST', 'STEP'].map((title) => ({ title }));
  const rows = shown.map(({ name, step }) => {
    const steps = stepsOf(record, step);
    return [
      step.part === null ? '–' : `${step.part.index + 1} of ${step.part.of}`,
      ...(pages.length === 0 ? [] : [step.part === null ? '' : pagesText(pages, step.part)]),
      stateText(steps.at(-1)?.state ?? step.state),
      String(record.attempts.filter(({ stepId }) => steps.some((each) => each.stepId === stepId)).length),
      costText(record.calls.filter(({ stepId }) => steps.some((each) => each.stepId === stepId))),
      name,
    ];
  });
  const table = rows.length === 0 ? [] : tableLines(head, rows, columns - 1).map((line) => (line === '' ? '' : ` ${line}`));
  const left = all.length - shown.length;
  const more =
    left === 0 ? [] : [` ${shown.length === 0 ? 'All' : '… and'} ${counted(left, 'part')}${leftText(all, shown)}; --json has them all`];
  return ['', ...table, ...more];
}

function stateText(state: StepRow['state']): string {
  return state === 'succeeded' ? 'answered' : state;
}

type Named = readonly { readonly step: StepRow }[];

function leftText(all: Named, shown: Named): string {
  return all.every((each) => each.step.state === 'succeeded' || shown.includes(each)) ? ' answered' : ' more';
}

/** The step itself and the re-asks of its answer, in the order of their making. */
function stepsOf({ steps }: JobRecord, { stepId, part }: StepRow): readonly StepRow[] {
  return steps.filter((step) => step.stepId === stepId || (step.kind === 'reask' && step.part?.index === part?.index));
}

function costText(calls: readonly CallRow[]): string {
  if (calls.length === 0) return 'no call';
  const costs = calls.map(({ costNanoUsd }) => costNanoUsd);
  return money(costs.some((cost) => cost === null) ? null : costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0));
}

function pagesText(pages: readonly Page[], part: Span): string {
  const own = pages.filter(({ start, end }) => start < part.end && part.start < end);
  const [first, last] = [own[0]?.number, own.at(-1)?.number];
  if (first === undefined || last === undefined) return '';
  return first === last ? String(first) : `${first}–${last}`;
}
