import { existsSync, readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { type Evidence, eventsOf } from './evidence.ts';
import type { Record } from './fleet.ts';
import type { BilledCall } from './oracle.ts';
import { questionIn, rightAnswer, rightEnd } from './questions.ts';

type Run = { readonly runId: string; readonly name: string; readonly outDir: string };
type Job = {
  readonly runId: string;
  readonly jobId: string;
  readonly text: string;
  readonly state: string;
  readonly verdict: string | null;
  readonly reason: string | null;
  readonly answerToken: string | null;
  readonly answer: string | null;
};

const RUNS = `SELECT run_id AS "runId", name, out_dir AS "outDir" FROM runs`;
const JOBS = `
SELECT j.run_id AS "runId", j.job_id AS "jobId", t.text, j.state, j.verdict, j.error_reason AS reason,
  j.answer_call_token AS "answerToken", CAST(r.answer AS text) AS answer
FROM jobs j JOIN texts t ON t.text_sha256 = j.text_sha256 LEFT JOIN responses r ON r.call_token = j.answer_call_token
ORDER BY j.run_id, j.seq`;

/** What may be there while work goes on, and not when it is over. */
const BROKEN_AT_THE_END = `
SELECT 'a run is not finished: ' || name AS broken FROM runs WHERE state <> 'finished'
UNION ALL SELECT 'a call was left ' || state FROM calls WHERE state IN ('reserved', 'sent')
UNION ALL SELECT 'a step was left ' || state FROM steps WHERE state IN ('running', 'queued', 'waiting')
UNION ALL SELECT 'a finish step succeeded ' || count(*) || ' times' FROM attempts a JOIN steps s USING (step_id)
  WHERE s.kind = 'finish' AND a.outcome = 'succeeded' GROUP BY s.run_id, s.job_id HAVING count(*) > 1
UNION ALL SELECT 'a job succeeded without its checks' FROM jobs j WHERE j.state = 'succeeded' AND NOT EXISTS (
  SELECT 1 FROM attempts a JOIN steps s USING (step_id)
  WHERE s.kind = 'finish' AND s.run_id = j.run_id AND s.job_id = j.job_id AND a.outcome = 'succeeded')
UNION ALL SELECT 'files of an ended job are not written' FROM jobs WHERE artifacts_at_ms IS NULL
UNION ALL SELECT 'the summary of a run is not written' FROM runs WHERE summary_at_ms IS NULL`;

/** Every job ended as it must, once, with the answer to its own document; the files say the same. */
export async function judgeResults({ rows, calls, records }: Evidence): Promise<{ violations: string[]; jobs: number; runs: number }> {
  const jobs = await rows.all<Job>(JOBS);
  const runs = await rows.all<Run>(RUNS);
  const violations = [
    ...(await rows.all<{ broken: string }>(BROKEN_AT_THE_END)).map(({ broken }) => broken),
    ...jobs.flatMap((job) => wrongEnd(job)),
    ...jobs.flatMap((job) => wrongAnswer(job, calls)),
    ...runs.flatMap((run) => wrongFiles(run, jobs)),
    ...doubledEnds(records),
  ];
  return { violations, jobs: jobs.length, runs: runs.length };
}

function wrongEnd(job: Job): string[] {
  const { state, verdict, reason } = job;
  const right = rightEnd(questionIn(job.text));
  const ended = { state, verdict, reason };
  return isDeepStrictEqual(ended, right) ? [] : [`${nameOf(job)} ended as ${JSON.stringify(ended)}, not ${JSON.stringify(right)}`];
}

/** The answer is that to this very document, and the server gave it in the call that the job names. */
function wrongAnswer(job: Job, calls: readonly BilledCall[]): string[] {
  const question = questionIn(job.text);
  const right = rightAnswer(question);
  if (right === null) return [];
  const answer: unknown = job.answer === null ? null : JSON.parse(job.answer);
  if (!isDeepStrictEqual(answer, right)) return [`${nameOf(job)} has the answer ${job.answer}`];
  const call = calls.find(({ token }) => token === job.answerToken);
  const given = call?.outcome === 'good' && call.question.name === question.name;
  return given ? [] : [`${nameOf(job)} names a call that did not give its answer`];
}

function nameOf({ runId, text }: Job): string {
  const { name, kind } = questionIn(text);
  return `${name} (${kind}) in ${runId}`;
}

/** `results.jsonl` has each job once and as the rows have it; so has the job's own file. */
function wrongFiles({ runId, name, outDir }: Run, all: readonly Job[]): string[] {
  const jobs = all.filter((job) => job.runId === runId);
  const path = `${outDir}/results.jsonl`;
  if (!existsSync(path)) return [`no results.jsonl of ${name}`];
  const [, ...lines] = readFileSync(path, 'utf8').trimEnd().split('\n');
  const written = lines.map((line): FileResult => JSON.parse(line)).map(({ jobId, state, verdict }) => ({ jobId, state, verdict }));
  const wanted = jobs.map(({ jobId, state, verdict }) => ({ jobId, state, verdict }));
  const folders = jobs.flatMap((job) => wrongFolder(job, `${outDir}/jobs/${job.jobId}/result.json`));
  return isDeepStrictEqual(written, wanted) ? folders : [`results.jsonl of ${name} differs from its rows`, ...folders];
}

type FileResult = { readonly jobId: string; readonly state: string; readonly verdict: string | null; readonly answer?: unknown };

function wrongFolder(job: Job, path: string): string[] {
  if (!existsSync(path)) return [`no ${path}`];
  const result: FileResult = JSON.parse(readFileSync(path, 'utf8'));
  const right = rightAnswer(questionIn(job.text));
  const agrees = result.verdict === job.verdict && isDeepStrictEqual(result.answer ?? null, right);
  return agrees ? [] : [`${path} differs from its row`];
}

/** No process may tell of a job's success that another told of already. */
function doubledEnds(records: readonly Record[]): string[] {
  const seen = new Map<string, string>();
  const doubled: string[] = [];
  for (const { member, ended } of records) {
    let run = '';
    for (const event of eventsOf(ended.stdout)) {
      if (event.event === 'run.started') run = event.run ?? '';
      if (event.event !== 'job.ended' || event.state !== 'succeeded') continue;
      const job = `${run} ${event.jobId}`;
      const other = seen.get(job);
      if (other !== undefined) doubled.push(`${job} succeeded in ${other} and in ${member.label}`);
      seen.set(job, member.label);
    }
  }
  return doubled;
}
