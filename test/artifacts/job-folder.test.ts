import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { jobFiles, writeJobFolder } from '../../src/artifacts/job-folder.ts';
import type { JobArtifacts } from '../../src/artifacts/job-record.ts';
import { restoreRequest } from '../../src/artifacts/request-file.ts';
import { manifestResolvedJson, writeText } from '../../src/artifacts/run-files.ts';
import { completion, PARTS, record, recordOfParts, TEXT } from './sample.ts';

function fileOf(artifacts: JobArtifacts, name: string): string | undefined {
  return jobFiles(artifacts).find((file) => file.path === `jobs/${artifacts.job.jobId}/${name}`)?.content;
}

describe('the files of a job', () => {
  test('with several calls hold those of each step, and at the top the one that gave the answer', () => {
    const paths = jobFiles(record()).map((file) => file.path.replace('jobs/j3f9abcdefghijklmnopqrstuv/', ''));
    expect(paths).toEqual([
      'result.json',
      'attempts.jsonl',
      'request.json',
      'response.json',
      'steps/answer-1/request.json',
      'steps/answer-1/response.json',
      'steps/answer-1.2/request.json',
      'steps/answer-1.2/response.json',
      'steps/reask-1/request.json',
      'steps/reask-1/response.json',
    ]);
    expect(JSON.parse(fileOf(record(), 'response.json') ?? '')).toMatchObject({ v: 1, callToken: 't3', content: '{"findings":[]}' });
    expect(JSON.parse(fileOf(record(), 'steps/answer-1.2/response.json') ?? '')).toMatchObject({ callToken: 't2', content: '{"wrong":1}' });
  });

  test('give back the request from the text that is stored once', () => {
    const request = fileOf(record(), 'request.json') ?? '';
    expect(request).not.toContain('MUST retry');
    expect(restoreRequest(JSON.parse(request), TEXT)).toEqual(completion('').wireBody);
  });

  test('of a hit hold the call of the run that paid for it, and no steps', () => {
    const { job, ...rest } = record();
    const hit: JobArtifacts = { ...rest, job: { ...job, cached: true, calls: 0, attempts: 0 }, calls: [], attempts: [] };
    expect(jobFiles(hit).map((file) => file.path.split('/').at(-1))).toEqual([
      'result.json',
      'attempts.jsonl',
      'request.json',
      'response.json',
    ]);
    expect(fileOf(hit, 'attempts.jsonl')).toBe('');
  });

  test('of a failed job hold its last answer, and none if none came', () => {
    const { job, completions, ...rest } = record();
    const failed = { ...job, state: 'failed', verdict: 'error', result: null, error: { reason: 'invalid_answer', message: 'm' } } as const;
    expect(JSON.parse(fileOf({ ...rest, completions, job: failed }, 'response.json') ?? '')).toMatchObject({ callToken: 't3' });
    expect(fileOf({ ...rest, completions: new Map(), job: failed }, 'response.json')).toBeUndefined();
  });

  test('list the attempts in the order of time, each with its call', () => {
    const lines = (fileOf(record(), 'attempts.jsonl') ?? '')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ step, number, outcome }) => `${step} ${number} ${outcome}`)).toEqual([
      'answer-1 1 failed',
      'answer-1 2 superseded',
      'reask-1 1 succeeded',
    ]);
    expect(lines[0]).toMatchObject({
      v: 1,
      startedAt: '1970-01-01T00:00:01.000Z',
      call: { state: 'unknown', costUsd: null },
      failure: { reason: 'stream_cut', partial: '{"fin' },
    });
  });

  test('are the same bytes whatever the order of rows and keys', () => {
    const { job, ...rest } = record();
    const reversedJob = { ...job, ...Object.fromEntries(Object.entries(job).reverse()) };
    const shuffled: JobArtifacts = {
      ...rest,
      job: reversedJob,
      steps: [...rest.steps].reverse(),
      calls: [...rest.calls].reverse(),
      attempts: [...rest.attempts].reverse(),
    };
    expect(jobFiles(shuffled)).toEqual(jobFiles(record()));
  });
});

describe('the files of a job that was asked in parts', () => {
  const paths = (artifacts: JobArtifacts) => jobFiles(artifacts).map((file) => file.path.replace(`jobs/${artifacts.job.jobId}/`, ''));
  const read = (artifacts: JobArtifacts, name: string) => JSON.parse(fileOf(artifacts, name) ?? '');

  test('hold every part’s call, also one that another job paid for, and a list of them at the top', () => {
    expect(paths(recordOfParts())).toEqual([
      'result.json',
      'attempts.jsonl',
      'request.json',
      'response.json',
      'steps/chunk-1/request.json',
      'steps/chunk-1/response.json',
      'steps/chunk-2/request.json',
      'steps/chunk-2/response.json',
    ]);
    expect(read(recordOfParts(), 'steps/chunk-2/response.json')).toMatchObject({ callToken: 'borrowed', content: '{"findings":[1]}' });
    const entry = { start: 0, end: 190, request: 'steps/chunk-1/request.json', response: 'steps/chunk-1/response.json' };
    const index = {
      v: 1,
      parts: [
        { ...entry, step: 'chunk-1', pages: [1, 3] },
        {
          step: 'chunk-2',
          start: 150,
          end: TEXT.text.length,
          pages: [2, 3],
          request: 'steps/chunk-2/request.json',
          response: 'steps/chunk-2/response.json',
        },
      ],
    };
    expect(read(recordOfParts(), 'request.json')).toEqual(index);
    expect(read(recordOfParts(), 'response.json')).toEqual(index);
  });

  test('refer to the part’s range of the text, and give back the request', () => {
    const record = recordOfParts();
    for (const [i, token] of ['t1', 'borrowed'].entries()) {
      const request = read(record, `steps/chunk-${i + 1}/request.json`);
      const { start, end } = PARTS[i] ?? { start: 0, end: 0 };
      expect(request.body.messages[1].content[1]).toEqual({ $text: { sha256: TEXT.sha256, start, end } });
      expect(restoreRequest(request, TEXT)).toEqual(record.completions.get(token)?.wireBody);
    }
  });

  test('hold at the top the call that made one answer of them, as it went over the wire', () => {
    const reduced = recordOfParts({ reduced: true });
    expect(paths(reduced).filter((path) => path.endsWith('response.json'))).toEqual([
      'response.json',
      'steps/chunk-1/response.json',
      'steps/reduce-1/response.json',
      'steps/reask-reduce/response.json',
      'steps/chunk-2/response.json',
    ]);
    expect(read(reduced, 'response.json')).toMatchObject({ callToken: 't4' });
    expect(read(reduced, 'request.json')).toEqual({ v: 1, references: false, body: reduced.completions.get('t4')?.wireBody });
  });

  test('of which one failed name the calls that there are', () => {
    const { completions, ...rest } = recordOfParts();
    const failed = { ...rest.job, state: 'failed', verdict: 'error', result: null, error: { reason: 'timeout', message: 'm' } } as const;
    const { parts } = read({ ...rest, completions: new Map([...completions].slice(0, 1)), job: failed }, 'response.json');
    expect(parts).toMatchObject([{ response: 'steps/chunk-1/response.json' }, { step: 'chunk-2', request: null, response: null }]);
  });

  test('are the same bytes whatever the order of rows', () => {
    const record = recordOfParts({ reduced: true });
    const shuffled = { ...record, steps: [...record.steps].reverse(), calls: [...record.calls].reverse() };
    expect(jobFiles(shuffled)).toEqual(jobFiles(record));
  });
});

describe('on the disk', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'aieval-artifacts-'));
  });

  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  test('a job has the files that its record gives, written twice or once', async () => {
    await writeJobFolder(folder, record());
    await writeJobFolder(folder, record());
    const names = await readdir(folder, { recursive: true, withFileTypes: true });
    const expected = jobFiles(record());
    expect(names.filter((entry) => entry.isFile())).toHaveLength(expected.length);
    for (const { path, content } of expected) expect(await readFile(join(folder, path), 'utf8')).toBe(content);
  });

  test('a text is kept once per content', async () => {
    await writeText(folder, TEXT);
    await writeText(folder, TEXT);
    expect(await readFile(join(folder, `texts/${TEXT.sha256}.txt`), 'utf8')).toBe(TEXT.text);
  });

  test('the manifest is pretty, sorted and ends in a newline', () => {
    expect(manifestResolvedJson({ version: 1, name: 'x' })).toBe('{\n  "name": "x",\n  "version": 1\n}\n');
  });
});
