import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect, test } from 'vitest';
import type { ResultLine, RunHeader } from '../../../src/domain/result-line.ts';
import { shownSource } from '../../../src/report/export/export-source.ts';
import { sarif } from '../../../src/report/export/sarif.ts';
import type { SarifResult } from '../../../src/report/export/sarif-result.ts';
import { PAYLOADS } from '../hostile.ts';
import { altered, broken, coverage, failed, finding, invented, line, score } from '../sample.ts';
import { SARIF_SCHEMA } from './sarif-schema.ts';
import { source, textOf } from './source.ts';

const ajv = new Ajv2020({ allErrors: true });
addFormats.default(ajv);
const isSarif = ajv.compile(SARIF_SCHEMA);

type Run = {
  readonly tool: { readonly driver: { readonly rules: readonly { readonly id: string }[] } };
  readonly invocations: readonly [{ readonly executionSuccessful: boolean; readonly toolExecutionNotifications: readonly unknown[] }];
  readonly results: readonly SarifResult[];
};

async function written(jobs: readonly ResultLine[], over: Partial<RunHeader> = {}, pathOf = (id: string) => id) {
  const notes: string[] = [];
  const text = await textOf(sarif(shownSource(source(jobs, over)), { pathOf, onNote: (note) => notes.push(note) }));
  const log: { readonly runs: readonly [Run] } = JSON.parse(text);
  isSarif(log);
  expect(isSarif.errors).toBeNull();
  const [run] = log.runs;
  const told = run.invocations[0].toolExecutionNotifications;
  expect(told).toEqual(notes.map((note) => ({ level: 'warning', message: { text: note } })));
  return { text, run, results: run.results, notes };
}

const quoted = (over: Parameters<typeof finding>[0], quote?: string) => finding({ ...over }, quote);
const rejected = (lineNumber: number, quote = 'waits 1023 cycles') =>
  quoted(
    {
      status: 'rejected',
      reason: 'altered',
      diff: '1032 → 1023',
      position: { page: null, pageLabel: null, section: null, line: lineNumber, start: 0, end: 9 },
      text: 'waits 1032 cycles',
    },
    quote,
  );
const withFindings = (findings: ReturnType<typeof finding>[], over: Partial<ResultLine> = {}) =>
  line({ verdict: 'fail', scores: [score({ verdict: 'fail', explanation: 'wrong', findings })], ...over });

test('a quote that does not stand is a result at its line, by the rule task/check', async () => {
  const { run, results, notes } = await written([withFindings([finding(), rejected(88), invented])]);
  expect(results).toEqual([
    {
      ruleId: 'claims/evidence',
      level: 'error',
      message: { text: 'Quote "waits 1023 cycles" of fast: altered; 1032 → 1023.' },
      locations: [
        { physicalLocation: { artifactLocation: { uri: 'a.md' }, region: { startLine: 88, snippet: { text: 'waits 1032 cycles' } } } },
      ],
      occurrenceCount: 1,
      partialFingerprints: { 'aievalQuote/v1': expect.stringMatching(/^[0-9a-f]{32}$/) },
    },
    expect.objectContaining({ locations: [{ physicalLocation: { artifactLocation: { uri: 'a.md' } } }] }),
  ]);
  expect(run.tool.driver.rules.map(({ id }) => id)).toEqual(['claims/evidence']);
  expect(run.invocations[0].executionSuccessful).toBe(true);
  expect(notes).toEqual([]);
});

test('an error breaks a rule; a warning, and what a person must decide, is a warning', async () => {
  const near = quoted({ status: 'near', tier: null });
  const jobs = [
    withFindings([rejected(1)]),
    line({ document: 'b.md', scores: [score({ severity: 'warn', verdict: 'fail', findings: [rejected(1)] })] }),
    line({ document: 'c.md', verdict: 'review', scores: [score({ verdict: 'review', findings: [near] })] }),
    line({ document: 'd.md' }),
  ];
  const { results } = await written(jobs);
  expect(results.map(({ level, locations }) => [level, locations[0].physicalLocation.artifactLocation.uri])).toEqual([
    ['error', 'a.md'],
    ['warning', 'b.md'],
    ['warning', 'c.md'],
  ]);
});

test('a check without quotes stands at the file, with what the answer quoted beside it', async () => {
  const scores = [score(), score({ check: 'few', type: 'count', verdict: 'fail', explanation: 'expected at most 3, got 4', findings: [] })];
  const { results } = await written([line({ verdict: 'fail', scores })]);
  expect(results).toMatchObject([
    {
      ruleId: 'claims/few',
      message: { text: 'expected at most 3, got 4 (answer of fast).' },
      locations: [{ physicalLocation: { artifactLocation: { uri: 'a.md' } } }],
      relatedLocations: [{ physicalLocation: { region: { startLine: 88 } } }],
    },
  ]);
});

test('an edit above, another repeat and another model leave a result the same', async () => {
  const jobs = [
    withFindings([rejected(88)]),
    withFindings([rejected(88)], { repeat: 1 }),
    withFindings([rejected(88)], { model: 'local' }),
  ];
  const { results } = await written(jobs);
  expect(results).toMatchObject([{ occurrenceCount: 3, message: { text: expect.stringContaining('of fast') } }]);
  const { results: moved } = await written([withFindings([rejected(95)])]);
  expect(moved[0]?.partialFingerprints).toEqual(results[0]?.partialFingerprints);
  const { results: other } = await written([withFindings([rejected(88, 'waits 1024 cycles')])]);
  expect(other[0]?.partialFingerprints).not.toEqual(results[0]?.partialFingerprints);
});

test('PDF, DOCX and packed files are left out, and this is said; HTML has no lines of its own', async () => {
  const by = (document: string, extractor: string | null) =>
    withFindings([rejected(5)], { document, ...(extractor === null ? {} : { coverage: coverage({ extractor }) }) });
  const { results, notes } = await written([
    by('a.bin', 'pdf@3:embedpdf@2.15.1+norm:1'),
    by('b.bin', 'docx@2+mammoth@1.13.0+html@3'),
    by('c.pdf', null),
    by('d.md.gz', 'md@2+norm:1'),
    by('e.html', 'html@3:parse5@8.1.1+norm:1'),
    by('f.bin', 'rfc@1+norm:1'),
    by('g.tex', null),
  ]);
  expect(results.map(({ locations: [{ physicalLocation: at }] }) => [at.artifactLocation.uri, at.region?.startLine])).toEqual([
    ['e.html', undefined],
    ['f.bin', 5],
    ['g.tex', 5],
  ]);
  expect(notes).toEqual([
    '4 documents left out, because the lines of PDF, DOCX and packed files are no lines of text: a.bin, b.bin, c.pdf, d.md.gz',
  ]);
});

test('only the worst 5,000 results are kept, and this is said', async () => {
  const warnings = Array.from({ length: 10 }, (_, index) =>
    line({ document: `w${index}.md`, verdict: 'review', scores: [score({ verdict: 'review', findings: [quoted({ status: 'near' })] })] }),
  );
  const errors = Array.from({ length: 5100 }, (_, index) => withFindings([rejected(index + 1)], { document: `e${index}.md` }));
  const { results, notes } = await written([...warnings, ...errors]);
  expect(results).toHaveLength(5000);
  expect(new Set(results.map(({ level }) => level))).toEqual(new Set(['error']));
  expect(notes).toEqual(['110 results left out: only the worst 5,000 results are kept']);
});

test('jobs that could not be evaluated are told, not made results; an unfinished run was not successful', async () => {
  const run = { id: 'r-1', name: 'n', state: 'open' as const, startedAt: '2026-11-01T13:12:30.000Z', finishedAt: null };
  const { results, notes, run: log } = await written([broken(), broken({ task: 'ambiguity', repeat: 1 })], { run });
  expect(results).toEqual([]);
  expect(notes).toEqual(['2 jobs could not be evaluated: a.md:claims:fast (timeout), a.md:ambiguity:fast#2 (timeout)']);
  expect(log.invocations[0].executionSuccessful).toBe(false);
});

test('paths are relative URIs, from where the repository begins', async () => {
  const { results } = await written([withFindings([rejected(1)], { document: 'Ä b#1?.md' })], {}, (id) => `docs/${id}`);
  expect(results[0]?.locations[0].physicalLocation.artifactLocation.uri).toBe('docs/%C3%84%20b%231%3F.md');
});

test('hostile text is no link, no argument and no other property', async () => {
  const all = [...PAYLOADS, '[click](https://evil.example) {0} {1}'];
  const findings = all.map((payload) => quoted({ ...altered.evidence, diff: payload, text: payload }, payload));
  const { text, results } = await written([withFindings(findings, { document: `\ud800${all[0]}` })]);
  expect(results.length).toBeGreaterThan(20);
  expect(text).not.toMatch(/\\ud[89a-f]|[\n](?!$)/);
  for (const { message } of results) expect(message.text).not.toMatch(/\]\(|\{\d+\}/);
});

test('with privacy.evidence "none" no word of a document or a model is in it, nor a hash of one', async () => {
  const { text, results } = await written([withFindings([rejected(3), rejected(4), invented]), failed({ document: 'b.md' })], {
    privacy: 'none',
  });
  expect(text).not.toMatch(/1023|1032|cycles|checksum|register|retry|Fingerprint/);
  expect(results.map(({ message, locations }) => [message.text, locations[0].physicalLocation.region]).slice(0, 3)).toEqual([
    ['A quote of fast: altered.', { startLine: 3 }],
    ['A quote of fast: altered.', { startLine: 4 }],
    ['A quote of fast: not in the document.', undefined],
  ]);
});

test('the problem that the answer names beside a quote comes first in the message, and is a word that privacy withholds', async () => {
  const jobs = (beside: object) => [withFindings([{ ...rejected(88), beside: { ...beside } }])];
  const message = async (beside: object, over: Partial<RunHeader> = {}) => (await written(jobs(beside), over)).results[0]?.message.text;
  expect(await message({ severity: 'high', problem: 'no unit' })).toBe(
    'no unit — Quote "waits 1023 cycles" of fast: altered; 1032 → 1023.',
  );
  expect(await message({ description: 'no unit' })).toMatch(/^no unit — Quote /);
  expect(await message({ severity: 'high' })).toMatch(/^Quote /);
  expect(await message({ problem: 'no unit' }, { privacy: 'none' })).toBe('A quote of fast: altered.');
});

test.each(PAYLOADS.filter((payload) => payload.length < 200))('a task and a check called %j make a rule on one line', async (payload) => {
  const scores = [score({ check: payload, type: payload, verdict: 'fail' })];
  const { run, results } = await written([line({ task: payload, verdict: 'fail', scores })]);
  const [rule] = run.tool.driver.rules;
  expect(JSON.stringify(rule)).not.toMatch(/##\w*\[/);
  expect(rule?.id).not.toMatch(/[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028]/u);
  expect(results[0]?.ruleId).toBe(rule?.id);
});
