import { UserError } from '../../domain/errors.ts';
import { oneLine } from '../../domain/hostile-text.ts';
import { nearest } from '../../domain/nearest.ts';
import type { JobRow, RunRow } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import { EXIT } from '../exit-codes.ts';
import { shellWord } from '../terminal/shell-word.ts';
import { rowLabel, shortJobId } from './job-names.ts';
import { jobRowsOf } from './job-rows.ts';
import { partText } from './part-text.ts';

/** A job as a person names it. */
export type JobName =
  | { readonly kind: 'label'; readonly document: string; readonly task: string; readonly model: string; readonly repeat: number | null }
  | { readonly kind: 'id'; readonly beginning: string };

const SUGGESTIONS = 3;
const REPEAT = /#([1-9]\d*)$/;

/** Reads `document:task:model[#n]` from the right, since a document's name may hold colons and `#`; anything else begins a job id. */
export function parseJobName(text: string): JobName {
  const repeat = REPEAT.exec(text);
  const [model, task, ...document] = text
    .slice(0, repeat?.index ?? text.length)
    .split(':')
    .reverse();
  if (model === undefined || task === undefined || document.length === 0) return { kind: 'id', beginning: text };
  const number = repeat?.[1] === undefined ? null : Number(repeat[1]) - 1;
  return { kind: 'label', document: document.reverse().join(':'), task, model, repeat: number };
}

/** The job of a run that a person means. Throws `UserError` that names the closest ones when there is none or more than one. */
export async function findJob(store: Pick<Store, 'jobRows'>, run: RunRow, text: string): Promise<JobRow> {
  const name = parseJobName(text);
  const found: JobRow[] = [];
  const others: JobRow[] = [];
  for await (const row of jobRowsOf(store, run.runId)) (isCalled(row, name) ? found : others).push(row);
  const [only] = found;
  if (only === undefined) throw noJob(run, text, name, others);
  if (found.length > 1) throw severalJobs(run, text, found);
  return only;
}

/** The ids of those jobs. Throws as `findJob` does, of the first name that is wrong. */
export async function findJobIds(store: Pick<Store, 'jobRows'>, run: RunRow, names: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const name of names) ids.push((await findJob(store, run, name)).jobId);
  return ids;
}

/** Whether the name means this job. */
export function isCalled(row: Pick<JobRow, 'jobId' | 'documentId' | 'task' | 'model' | 'repeat'>, name: JobName): boolean {
  if (name.kind === 'id') return name.beginning !== '' && row.jobId.startsWith(name.beginning);
  const { document, task, model, repeat } = name;
  return row.documentId === document && row.task === task && row.model === model && (repeat === null || row.repeat === repeat);
}

/** Ids are random: another one is only meant where it begins alike. A word that is no name is answered with names, and where all are. */
function noJob(run: RunRow, text: string, name: JobName, rows: readonly JobRow[]): UserError {
  const part = partText(run.settings, rows.length);
  const what = `run ${run.runId} has no job "${oneLine(text)}"${part === null ? '' : `; it is a part of its manifest: ${part}`}`;
  const ids = alike(text, rows);
  if (ids.length > 0) return unclear(run, what, ids);
  const labels = rows.map((row) => rowLabel(run, row));
  const having = labels.filter((label) => text !== '' && label.includes(text));
  const closest = nearest(text, having.length > 0 ? having : labels, SUGGESTIONS);
  const isMeant = name.kind === 'label' || PART_OF_LABEL.test(text) || having.length > 0;
  return unclear(run, what, closest, isMeant ? closest[0] : null);
}

/** No id has any of these. */
const PART_OF_LABEL = /[^a-z2-7]/i;
const ALIKE_CHARACTERS = 3;

function alike(text: string, rows: readonly JobRow[]): string[] {
  const beginning = text.slice(0, ALIKE_CHARACTERS).toLowerCase();
  if (beginning.length < ALIKE_CHARACTERS) return [];
  const ids = rows.filter(({ jobId }) => jobId.startsWith(beginning)).map(({ jobId }) => shortJobId(jobId));
  return nearest(text, ids, SUGGESTIONS);
}

function severalJobs(run: RunRow, text: string, found: readonly JobRow[]): UserError {
  const names = found.slice(0, SUGGESTIONS).map((row) => `${rowLabel(run, row)} (${shortJobId(row.jobId)})`);
  return unclear(
    run,
    `${found.length} jobs of run ${run.runId} match "${oneLine(text)}": ${names.map((name) => oneLine(name)).join(', ')}`,
    [shortJobId(found[0]?.jobId ?? '')],
  );
}

/** `meant`: the job to show; where nobody knows, the list of the run's jobs. */
function unclear(run: RunRow, what: string, closest: readonly string[], meant: string | null = closest[0] ?? null): UserError {
  const names = closest.map((name) => oneLine(name));
  const isNamed = names.length > 1 || (names.length === 1 && meant === null);
  const message = isNamed ? `${what}. Closest: ${names.join(', ')}` : what;
  const next = meant === null ? `aieval export ${run.runId} --format csv` : `aieval show ${shellWord(oneLine(meant))} --run ${run.runId}`;
  return new UserError({ code: 'E32', exitCode: EXIT.usage, message, next: [next] });
}
