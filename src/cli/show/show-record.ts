import { join } from 'node:path';
import { stepName } from '../../artifacts/job-record.ts';
import { jobFolder, keepsArtifacts, resultLine } from '../../artifacts/result-line.ts';
import type { CallRow, JobRecord, JobRow, RunRow } from '../../store/rows.ts';
import { usdOrNull } from '../jobs/record-shapes.ts';

/** The one object that `show --json` prints: everything the store holds of a job, but the texts of prompt and answer as sent. */
export function showRecord(run: RunRow, record: JobRecord, filesHere: boolean): object {
  const { job, steps, attempts, calls } = record;
  return {
    v: 1,
    run: { id: run.runId, name: run.name, state: run.state },
    job: resultLine(job, run.manifest.artifacts),
    answer: job.result?.answer ?? null,
    steps: steps.map((step) => ({ name: stepName(steps, step.stepId), ...step })),
    attempts,
    calls: calls.map(callRecord),
    checks: job.result?.scores ?? [],
    coverage: job.result?.coverage ?? null,
    absences: (job.result?.scores ?? []).flatMap(({ check, absences = [] }) => absences.map((absence) => ({ check, ...absence }))),
    paths: jobPaths(run, job),
    filesHere,
  };
}

function callRecord({ costNanoUsd, ...call }: CallRow): object {
  return { ...call, costUsd: usdOrNull(costNanoUsd) };
}

/** Absolute paths of a job's files; `null` when the run keeps none for it. */
export function jobPaths(
  run: Pick<RunRow, 'outDir' | 'manifest'>,
  job: JobRow,
): { readonly folder: string; readonly [file: string]: string } | null {
  if (!keepsArtifacts(job, run.manifest.artifacts)) return null;
  const folder = join(run.outDir, jobFolder(job.jobId));
  const file = (name: string): string => join(folder, name);
  return {
    folder,
    request: file('request.json'),
    response: file('response.json'),
    result: file('result.json'),
    attempts: file('attempts.jsonl'),
  };
}
