import { UserError } from '../../domain/errors.ts';
import { oneLine } from '../../domain/hostile-text.ts';
import { nearest } from '../../domain/nearest.ts';
import type { Store } from '../../store/store.ts';
import { EXIT } from '../exit-codes.ts';
import { isCalled, type JobName, parseJobName } from '../jobs/find-job.ts';
import { rowLabel, shortJobId } from '../jobs/job-names.ts';
import { jobRowsOf } from '../jobs/job-rows.ts';
import { shellWord } from '../terminal/shell-word.ts';
import { shortPath } from '../terminal/short-path.ts';
import type { JobFate } from './job-fates.ts';
import type { Prepared } from './prepare.ts';

const SUGGESTIONS = 3;
const RUNS_LOOKED_AT = 5;

export type WhyJobInput = {
  readonly store: Pick<Store, 'listRuns' | 'jobRows'> | null;
  readonly prepared: Prepared;
  readonly fates: () => AsyncIterable<readonly JobFate[]>;
  readonly cwd: string;
};

/**
 * The planned job that a person means, by its name or the beginning of its id; also of the id that it had in one of the newest runs,
 * since a changed document gives its jobs new ones. Throws `UserError` (exit 2) that names the closest when there is none, or several.
 */
export async function findPlanned(input: WhyJobInput, text: string): Promise<JobFate> {
  const name = parseJobName(text);
  const direct = await calledSo(input, name);
  const found = direct.length === 0 && name.kind === 'id' ? await ofEarlier(input, text) : direct;
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  throw await unclear(input, text, found);
}

async function calledSo({ fates }: WhyJobInput, name: JobName): Promise<JobFate[]> {
  const found: JobFate[] = [];
  for await (const page of fates()) found.push(...page.filter(({ job }) => isCalled(job, name)));
  return found;
}

async function ofEarlier(input: WhyJobInput, beginning: string): Promise<JobFate[]> {
  const { store, prepared } = input;
  if (store === null || beginning === '') return [];
  const runs = (await store.listRuns()).filter(({ manifestPath }) => manifestPath === prepared.manifestPath).slice(0, RUNS_LOOKED_AT);
  for (const { runId } of runs) {
    for await (const row of jobRowsOf(store, runId)) {
      if (!row.jobId.startsWith(beginning)) continue;
      const { documentId, task, model, repeat } = row;
      return await calledSo(input, { kind: 'label', document: documentId, task, model, repeat });
    }
  }
  return [];
}

async function labelsOf({ prepared, fates }: WhyJobInput): Promise<string[]> {
  const labels: string[] = [];
  for await (const page of fates()) labels.push(...page.map(({ job }) => rowLabel(prepared, job)));
  return labels;
}

async function unclear(input: WhyJobInput, text: string, found: readonly JobFate[]): Promise<UserError> {
  const { prepared, cwd } = input;
  const path = shellWord(shortPath(prepared.manifestPath, cwd));
  const closest =
    found.length === 0
      ? nearest(text, await labelsOf(input), SUGGESTIONS)
      : found.slice(0, SUGGESTIONS).map(({ job }) => `${rowLabel(prepared, job)} (${shortJobId(job.jobId)})`);
  const what = found.length === 0 ? `the plan has no job "${oneLine(text)}". Closest` : `${found.length} jobs match "${oneLine(text)}"`;
  const first = found[0] === undefined ? closest[0] : shortJobId(found[0].job.jobId);
  const next = first === undefined ? `aieval plan ${path} --list` : `aieval plan ${path} --why ${shellWord(oneLine(first))}`;
  return new UserError({
    code: 'E32',
    exitCode: EXIT.usage,
    message: `${what}: ${closest.map((each) => oneLine(each)).join(', ')}`,
    next: [next],
  });
}
