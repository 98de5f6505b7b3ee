import { join } from 'node:path';
import type { Completion } from '../domain/completion.ts';
import { usdOf } from '../domain/money.ts';
import { type AttemptSource, type CallSource, inSendOrder, type JobArtifacts, stepName } from './job-record.ts';
import { jsonLine, prettyJson } from './json-text.ts';
import { requestFile, type StoredText } from './request-file.ts';
import { jobFolder, resultLine } from './result-line.ts';
import { writeFileAtomic } from './write-file.ts';

/** A file of a run; `path` is relative to the run's folder. */
export type ArtifactFile = { readonly path: string; readonly content: string };

/** Writes the folder of one job below the run's folder. Throws a `UserError` (exit 8) where it cannot. */
export async function writeJobFolder(runDir: string, record: JobArtifacts): Promise<void> {
  for (const { path, content } of jobFiles(record)) await writeFileAtomic(join(runDir, path), content);
}

/**
 * The files of one job: its result and attempts; request and response of the call that gave the answer, or of the last one that
 * was answered at all; with more than one call, those of every call. Same record, same bytes.
 */
export function jobFiles(record: JobArtifacts): readonly ArtifactFile[] {
  const folder = jobFolder(record.job.jobId);
  const answer = answerCall(record);
  return [
    { path: `${folder}/result.json`, content: prettyJson(resultRecord(record)) },
    { path: `${folder}/attempts.jsonl`, content: attemptLines(record) },
    ...(answer === null ? [] : callFiles(folder, answer, record.text)),
    ...(record.calls.length > 1 ? stepFiles(folder, record) : []),
  ];
}

type AnsweredCall = { readonly callToken: string; readonly completion: Completion };

function answerCall(record: JobArtifacts): AnsweredCall | null {
  const token = record.job.result?.callToken;
  const completion = token === undefined ? undefined : record.completions.get(token);
  if (token !== undefined && completion !== undefined) return { callToken: token, completion };
  return answeredCalls(record).at(-1) ?? null;
}

function answeredCalls(record: JobArtifacts): readonly (AnsweredCall & CallSource)[] {
  return inSendOrder(record.calls).flatMap((call) => {
    const completion = record.completions.get(call.callToken);
    return completion === undefined ? [] : [{ ...call, completion }];
  });
}

function callFiles(folder: string, { callToken, completion }: AnsweredCall, text: StoredText | null): readonly ArtifactFile[] {
  const { wireBody, ...response } = completion;
  return [
    { path: `${folder}/request.json`, content: prettyJson(requestFile(wireBody, text)) },
    { path: `${folder}/response.json`, content: prettyJson({ v: 1, callToken, ...response }) },
  ];
}

/** `steps/answer-1`; a further call of the same step is `steps/answer-1.2`. */
function stepFiles(folder: string, record: JobArtifacts): readonly ArtifactFile[] {
  const seen = new Map<string, number>();
  return answeredCalls(record).flatMap((call) => {
    const name = stepName(record.steps, call.stepId);
    const nth = (seen.get(name) ?? 0) + 1;
    seen.set(name, nth);
    return callFiles(`${folder}/steps/${nth === 1 ? name : `${name}.${nth}`}`, call, record.text);
  });
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
