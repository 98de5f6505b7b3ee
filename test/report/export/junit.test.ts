import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'junit2json';
import { expect, onTestFinished, test, vi } from 'vitest';
import { validateXML } from 'xmllint-wasm';
import { fileSpool } from '../../../src/artifacts/spool.ts';
import type { ResultLine, RunHeader } from '../../../src/domain/result-line.ts';
import { shownSource } from '../../../src/report/export/export-source.ts';
import { junit } from '../../../src/report/export/junit.ts';
import { PAYLOADS } from '../hostile.ts';
import { altered, broken, failed, finding, line, score } from '../sample.ts';
import { source, textOf } from './source.ts';

const schema = readFileSync(new URL('junit.xsd', import.meta.url), 'utf8');

/** What a parser of others reads of it, after a look at its form. */
async function read(jobs: readonly ResultLine[], over: Partial<RunHeader> = {}, held?: number) {
  const text = await textOf(junit(shownSource(source(jobs, over)), fileSpool(held)));
  const { valid, errors } = await validateXML({ xml: text, schema });
  expect(errors).toEqual([]);
  expect(valid).toBe(true);
  const report = await parse(text);
  if (report === undefined || report === null || !('testsuite' in report)) throw new Error('no test suites');
  return { text, report, suites: report.testsuite ?? [] };
}

/** A folder for temporary files that no other test writes to. */
function ownTemporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'aieval-junit-'));
  vi.stubEnv('TMPDIR', folder);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
  return folder;
}

const doubtful = (over: Partial<ResultLine> = {}) =>
  line({ verdict: 'review', scores: [score({ verdict: 'review', explanation: '1 quote is near' })], ...over });

test('a suite for each task and model, a case for each job, with counts and seconds', async () => {
  const jobs = ['a.md', 'b.md'].flatMap((document) => [
    line({ document, latencyMs: 1234.5 }),
    failed({ document, model: 'local', latencyMs: 500 }),
    broken({ document, task: 'ambiguity', repeat: 0 }),
    doubtful({ document, task: 'ambiguity', repeat: 1 }),
    line({ document, task: 'ambiguity', repeat: 2, state: 'cancelled', verdict: null, latencyMs: null }),
  ]);
  const { text, report, suites } = await read(jobs);
  expect(report).toMatchObject({ name: 'aieval', tests: 10, failures: 2, errors: 2, time: 5.869 });
  expect(text).toContain('<testsuites name="aieval" tests="10" failures="2" errors="2" skipped="4" time="5.869">');
  expect(suites.map(({ name, tests, failures, errors, skipped }) => ({ name, tests, failures, errors, skipped }))).toEqual([
    { name: 'claims·fast', tests: 2, failures: 0, errors: 0, skipped: 0 },
    { name: 'claims·local', tests: 2, failures: 2, errors: 0, skipped: 0 },
    { name: 'ambiguity·fast', tests: 6, failures: 0, errors: 2, skipped: 4 },
  ]);
  expect(suites[2]?.testcase?.map(({ name, classname }) => `${classname} ${name}`)).toEqual(
    ['a.md', 'b.md'].flatMap((document) => [1, 2, 3].map((repeat) => `ambiguity.fast ${document}#${repeat}`)),
  );
});

test('a failed job says which checks failed, the first one as its message, and all of it in its text', async () => {
  const { suites } = await read([failed()]);
  expect(suites[0]?.testcase?.[0]).toMatchObject({
    name: 'a.md',
    failure: [
      {
        type: 'evidence, count',
        message: 'evidence: 2 of 3 quotes are not in the document (and 1 more failed check)',
        inner: [
          'failed evidence: 2 of 3 quotes are not in the document',
          '  quote "offset of the 1023 byte register", page 3, line 14: altered; 1023 → 1032',
          '  quote "Clients may skip the checksum": not in the document',
          'failed count: Expected at most 3, got 5',
        ].join('\n'),
      },
    ],
    'system-out': ['aieval show j3f9abcdefghijklmnopqrstuv'],
  });
});

test('an error has its reason as type; what is to review, cancelled or open is skipped and says so', async () => {
  const open = line({ document: 'd.md', state: 'queued', verdict: null });
  const { suites, text } = await read([broken(), doubtful({ document: 'b.md' }), open]);
  expect(suites[0]?.testcase?.[0]?.error).toEqual([expect.objectContaining({ type: 'timeout', message: 'no answer in 120 s' })]);
  expect(text).toContain('<skipped message="to review: evidence: 1 quote is near"/>');
  expect(text).toContain('<skipped message="not finished: queued"/>');
  expect(text).toContain('2 earlier tries failed');
});

test('a check of severity "warn" fails nobody, and is told', async () => {
  const scores = [score({ check: 'tone', severity: 'warn', verdict: 'fail', explanation: 'too long', findings: [] })];
  const { suites } = await read([line({ scores })]);
  expect(suites[0]).toMatchObject({ failures: 0, testcase: [{ 'system-out': ['warning tone: too long'] }] });
});

test('hostile text is text, whatever XML thinks of it', async () => {
  const all = [...PAYLOADS, ']]>', '</failure><failure>', '\ufffe\uffff', '\u0000\u0001', '"quoted" & \'so\' <b>'];
  const jobs = all.map((payload, index) =>
    failed({
      document: `${index} ${payload}`,
      task: 'claims',
      model: 'fast',
      scores: [
        score({ check: 'c', verdict: 'fail', explanation: payload, findings: [finding({ ...altered.evidence, diff: payload }, payload)] }),
      ],
    }),
  );
  const { suites, text } = await read([...jobs, broken({ error: { reason: 'refused', message: all.join('\n') } })]);
  expect(suites[0]?.testcase).toHaveLength(jobs.length + 1);
  expect(text).not.toMatch(/\p{Cs}|^\s*::/mu);
});

test('no more than 16 KB of one job is written', async () => {
  const findings = Array.from({ length: 5000 }, (_, index) => finding({ ...altered.evidence }, `quote number ${index} ${'é'.repeat(200)}`));
  const { suites } = await read([failed({ scores: [score({ verdict: 'fail', explanation: 'all wrong', findings })] })]);
  const inner = suites[0]?.testcase?.[0]?.failure?.[0]?.inner ?? '';
  expect(Buffer.byteLength(inner)).toBeLessThan(17 * 1024);
  expect(inner).toMatch(/\n… 4,9\d\d more lines$/);
});

test('what does not fit into memory waits on the disk, to the same bytes, and is gone from there afterwards', async () => {
  const jobs = Array.from({ length: 30 }, (_, index) =>
    failed({ document: `é${index % 10}.md`, model: ['fast', 'local', 'other'][index % 3] ?? '' }),
  );
  const { text } = await read(jobs);
  const folder = ownTemporaryFolder();
  for (const held of [1, 3000, 7000]) expect((await read(jobs, {}, held)).text).toBe(text);
  expect(readdirSync(folder)).toEqual([]);
});

test('jobs are read once', async () => {
  const counted = source(['fast', 'local', 'other', 'last'].map((model) => line({ model })));
  let reads = 0;
  const lines = () => {
    reads += 1;
    return counted.lines();
  };
  await textOf(junit({ ...counted, lines }, fileSpool(1)));
  expect(reads).toBe(1);
});

test('whoever leaves in the middle, or a reading that fails, leaves nothing on the disk', async () => {
  const closed: string[] = [];
  const spool = (name: string) => {
    const kept = fileSpool(1);
    const close = async (): Promise<void> => {
      closed.push(name);
      await kept.close();
    };
    return { ...kept, close };
  };
  for await (const _ of junit(source([line()]), spool('left'))) break;
  const failing = {
    ...source([]),
    // biome-ignore lint/correctness/useYield: it fails before it has something
    lines: async function* lines(): AsyncGenerator<ResultLine> {
      throw new Error('unreadable');
    },
  };
  await expect(textOf(junit(failing, spool('failed')))).rejects.toThrow('unreadable');
  expect(closed).toEqual(['left', 'failed']);
});

test('what the answer says beside a quote stands with it', async () => {
  const beside = { problem: 'no\nunit </failure>', severity: 2 };
  const { suites } = await read([failed({ scores: [score({ verdict: 'fail', findings: [{ ...altered, beside }] })] })]);
  expect(suites[0]?.testcase?.[0]?.failure?.[0]?.inner).toContain('problem: no unit </failure>; severity: 2');
});

test('100,000 jobs are written in parts', async () => {
  const jobs = {
    length: 100_000,
    [Symbol.iterator]: function* many() {
      for (let index = 0; index < 100_000; index += 1) yield line({ document: `${index}.md` });
    },
  };
  const many = {
    ...source([]),
    lines: async function* lines() {
      yield* jobs;
    },
  };
  let longest = 0;
  let cases = 0;
  for await (const part of junit(many, fileSpool(1000))) {
    longest = Math.max(longest, part.length);
    cases += part.split('<testcase').length - 1;
  }
  expect(cases).toBe(100_000);
  expect(longest).toBeLessThan(2000);
});

test('with privacy.evidence "none" no word of a document or a model is in it', async () => {
  const jobs = [failed(), doubtful(), broken({ error: { reason: 'refused', message: 'secret words' } })];
  const { text, suites } = await read(jobs, { privacy: 'none' });
  expect(text).not.toMatch(/secret|register|checksum|retry|near/);
  expect(suites[0]?.testcase?.[0]?.failure?.[0]?.message).toBe('evidence: 3 quotes: 1 verified, 2 rejected (and 1 more failed check)');
});
