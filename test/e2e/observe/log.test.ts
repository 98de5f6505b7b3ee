import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { aieval } from '../../cli/binary.ts';
import { answerJson, apiError, type Scenario, startScriptedServer } from '../../providers/scripted-server.ts';
import { leaks } from '../../providers/spellings.ts';
import { hereJson } from '../here.ts';
import { goodAnswer, type Project } from '../project.ts';
import { afterwards, placeFor } from '../providers/at-work.ts';

vi.setConfig({ testTimeout: 90_000 });

const KEY = 'Zq7/Rt+"Wv<9>&Yp\\Lm=k3';
/** Stand in the documents, the prompts, the answers and in what a server says. */
const MARKS = /MARK(?:DOC|ANSWER|BODY)/i;

type Line = Readonly<Record<string, unknown>>;

/** Answers the first document, answers badly to the second, fails the third, and begins the fourth with a 500; it echoes the key. */
function echo({ prompt, n }: { readonly prompt: string; readonly n: number }): Scenario {
  const headers = { 'x-request-id': `req-${n}-${KEY}` };
  if (prompt.includes('Part 1')) return answerJson(goodAnswer(prompt), { headers });
  if (prompt.includes('Part 2')) return answerJson({ findings: [{ quote: 'MARKANSWER is not in it, and never was' }] }, { headers });
  if (prompt.includes('Part 3')) return apiError(400, { message: `MARKBODY: your prompt was ${prompt} and your key ${KEY}` }, headers);
  return apiError(500, { message: `MARKBODY ${KEY}` }, headers);
}

async function work(): Promise<Project> {
  const server = await startScriptedServer({ respond: echo });
  afterwards(server.close);
  const texts = [1, 2, 3, 4].map((n) => [`docs/${n}.md`, `# Part ${n}\n\nDevice ${n} shall answer within 5 ms. MARKDOC\n`] as const);
  return placeFor(server.baseUrl, {
    documents: Object.fromEntries(texts),
    provider: { apiKeyEnv: 'LAB_KEY' },
    env: { LAB_KEY: KEY },
    manifest: { retry: { attempts: 1 } },
  });
}

function linesOf(text: string): Line[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

test('a log says whose every event is and what came of it, without a word of a document, a prompt, an answer or a key', async () => {
  const place = await work();
  const { exitCode } = await place.aieval('run', 'manifest.json', '--log-file', 'logs/work.log', '--log-level', 'debug');
  expect(exitCode).toBe(3);
  const text = place.read('logs/work.log');
  expect(MARKS.exec(text)).toBeNull();
  expect(text).not.toMatch(/shall answer|Quote one sentence/);
  expect(leaks(text, KEY)).toEqual([]);
  const lines = linesOf(text);
  const status = await hereJson(place, 'status');
  const [{ workerId } = { workerId: undefined }] = [...new Set(lines.flatMap(({ worker_id }) => worker_id ?? []))].map((id) => ({
    workerId: id,
  }));
  const ids = { run_id: (status.run as { id: string }).id, trace_id: lines[0]?.trace_id };
  expect(ids.trace_id).toMatch(/^[0-9a-f]{32}$/);
  expect(lines[0]).toMatchObject({ v: 1, level: 'info', event: 'run.started', ...ids, jobs: 4 });
  expect(lines.at(-1)).toMatchObject({ level: 'error', event: 'run.finished', ...ids, exit_code: 3, dlq: 2 });
  const ofWork = lines.filter(({ event }) => /^(?:step|call|job)\./.test(String(event)));
  for (const line of ofWork) expect(line).toMatchObject({ ...ids, worker_id: workerId, task: 'quotes', model: 'small', provider: 'lab' });
  const good = ofWork.filter(({ document }) => document === 'docs/1.md');
  const { job } = (await hereJson(place, 'show', 'docs/1.md:quotes:small')) as { job: { jobId?: string; id?: string } };
  expect(new Set(good.map(({ job_id }) => job_id))).toEqual(new Set([job.jobId ?? job.id]));
  expect(good.map(({ event }) => event)).toEqual([
    'step.started',
    'call.answered',
    'step.ended',
    'step.started',
    'step.ended',
    'job.ended',
  ]);
  expect(good[1]).toMatchObject({ attempt: 1, finish_reason: 'stop', input_tokens: 100, output_tokens: 10, cost_usd: 0.00012 });
  expect(good[1]?.provider_request_id).toMatch(/^req-\d+-.removed/);
  expect(ofWork.filter(({ event }) => event === 'call.failed')).toEqual([
    expect.objectContaining({ document: 'docs/3.md', reason: 'bad_request', status: 400, level: 'warn' }),
    expect.objectContaining({ document: 'docs/4.md', reason: 'server_error', status: 500, level: 'warn' }),
  ]);
  expect(ofWork.filter(({ event, level }) => event === 'job.ended' && level === 'error')).toHaveLength(2);
});

test('- is stderr, a level leaves out what is below it, and the user config names a file beside itself', async () => {
  const place = await work();
  const toStderr = await place.aieval('run', 'manifest.json', '--display', 'none', '--json', '--log-file', '-', '--log-level', 'error');
  const told = linesOf(toStderr.stderr.slice(toStderr.stderr.indexOf('{')));
  expect(told.map(({ event }) => event)).toEqual(['job.ended', 'job.ended', 'run.finished']);
  place.write('own/config.json', '{ "logFile": "logs/own.log", "logLevel": "warn" }');
  const env = { LAB_KEY: KEY, AIEVAL_CONFIG: 'own/config.json' };
  await aieval(['retry', '--dlq'], { cwd: place.dir, env });
  const kept = linesOf(readFileSync(join(place.dir, 'own', 'logs', 'own.log'), 'utf8'));
  expect(new Set(kept.map(({ level }) => level))).toEqual(new Set(['warn', 'error']));
  const variable = { ...env, AIEVAL_LOG_FILE: 'here.log', AIEVAL_LOG_LEVEL: 'info' };
  await aieval(['run', 'manifest.json', '--new'], { cwd: place.dir, env: variable });
  expect(linesOf(place.read('here.log'))[0]).toMatchObject({ event: 'run.started' });
});

test('a log that cannot be kept is an error before anything is spent, and an error that ends the command is in it', async () => {
  const place = await work();
  place.write('file', '');
  const refused = await place.aieval('run', 'manifest.json', '--log-file', 'file/work.log');
  expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('error[E00]: --log-file: cannot write file/work.log (') });
  const missing = await aieval(['run', 'manifest.json', '--log-file', 'work.log'], { cwd: place.dir });
  expect(missing.exitCode).toBe(4);
  expect(linesOf(place.read('work.log'))).toMatchObject([{ level: 'error', event: 'command.failed', code: 'E05', exit_code: 4 }]);
});
