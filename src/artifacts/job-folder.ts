import { usdOf } from '../domain/money.ts';
import { type ArtifactFile, callFiles } from './call-files.ts';
import { type AttemptSource, type CallSource, type JobArtifacts, stepName } from './job-record.ts';
import { jsonLine, prettyJson } from './json-text.ts';
import { placeIn } from './place-in.ts';
import { jobFolder, resultLine } from './result-line.ts';
import { writeFileAtomic } from './write-file.ts';

/** Writes the folder of one job below the run's folder. Throws a `UserError` (exit 8) where it cannot. */
export async function writeJobFolder(runDir: string, record: JobArtifacts): Promise<void> {
  for (const { path, content } of jobFiles(record)) await writeFileAtomic(placeIn(runDir, path), content);
}

/** The files of one job: its result and attempts, and its calls; see `callFiles`. Same record, same bytes. */
export function jobFiles(record: JobArtifacts): readonly ArtifactFile[] {
  const folder = jobFolder(record.job.jobId);
  return [
    { path: `${folder}/result.json`, content: prettyJson(resultRecord(record)) },
    { path: `${folder}/attempts.jsonl`, content: attemptLines(record) },
    ...callFiles(folder, record),
  ];
}

function resultRecord({ job }: JobArtifacts): object {
  return {
    ...resultLine(job, 'all'),
    bytesSha256: job.bytesSha256,
    textSha256: job.textSha256,
    answer: job.result?.answer ?? null,
    mode: job.result?.mode ?? null,
    callToken: job.result?.callToken ?? null,
    endedAt: job.endedAtMs === null ? null : isoTime(job.endedAtMs),
  };
}

function attemptLines(record: JobArtifacts): string {
  const calls = new Map(record.calls.map((call) => [call.callToken, call]));
  const ordered = [...record.attempts].sort((a, b) => a.startedAtMs - b.startedAtMs || a.stepId - b.stepId || a.number - b.number);
  return ordered.map((attempt) => attemptLine(record, attempt, calls)).join('');
}

function attemptLine(record: JobArtifacts, attempt: AttemptSource, calls: ReadonlyMap<string, CallSource>): string {
  const call = attempt.callToken === null ? undefined : calls.get(attempt.callToken);
  return jsonLine({
    v: 1,
    step: stepName(record.steps, attempt.stepId),
    number: attempt.number,
    outcome: attempt.outcome,
    startedAt: isoTime(attempt.startedAtMs),
    endedAt: isoTime(attempt.endedAtMs),
    callToken: attempt.callToken,
    call:
      call === undefined
        ? null
        : { state: call.state, usage: call.usage, costUsd: call.costNanoUsd === null ? null : usdOf(call.costNanoUsd) },
    failure: attempt.failure,
  });
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
