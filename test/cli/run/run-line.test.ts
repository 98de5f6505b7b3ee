import { expect, test } from 'vitest';
import { runHere } from '../../../src/cli/run/run-here.ts';
import { afterMending, continueLine, manifestLine, runLine, workerLine } from '../../../src/cli/run/run-line.ts';
import { sampleRun } from '../sample-run.ts';

const CWD = '/home/ann/spec';

test('the manifest continues the run that holds the identity of its work', () => {
  expect(continueLine(sampleRun(), CWD)).toBe('aieval run manifest.json');
});

test('a run that takes no answers of others is continued as it was started', () => {
  const run = sampleRun({ settings: { ...sampleRun().settings, cacheMode: 'off' } });
  expect(continueLine(run, CWD)).toBe('aieval run manifest.json --no-cache');
});

test('a run whose identity a newer one took is continued by a worker, or if half planned by nobody', () => {
  expect(continueLine(sampleRun({ holdsIdentity: false }), CWD)).toBe('aieval worker r-8kq2aaaa');
  expect(continueLine(sampleRun({ holdsIdentity: false, plannedAtMs: null }), CWD)).toBe('aieval cancel r-8kq2aaaa');
});

test('a run of some of the jobs, or of a profile, is continued by the options that lead to it', () => {
  const selection = { document: ['specs/**', 'tag:x'], task: ['claims'], model: [], first: 12 };
  const run = sampleRun({ settings: { ...sampleRun().settings, selection, profile: 'ci' } });
  expect(continueLine(run, CWD)).toBe(
    "aieval run manifest.json --profile ci --document 'specs/**' --document tag:x --task claims --first 12",
  );
});

const ELSEWHERE = { ...sampleRun(), manifestHere: false };

test('where its manifest is not, a worker continues a run that was planned to its end, with the tags that its work waits for', () => {
  const needs = [{ tags: ['large', 'gpu'] }, {}, { tags: ['gpu'] }];
  expect(continueLine(ELSEWHERE, CWD)).toBe('aieval worker r-8kq2aaaa');
  expect(continueLine(ELSEWHERE, CWD, needs)).toBe('aieval worker r-8kq2aaaa --tags gpu,large');
  expect(workerLine(ELSEWHERE, needs)).toBe('aieval worker r-8kq2aaaa --tags gpu,large');
  expect(continueLine({ ...ELSEWHERE, plannedAtMs: null }, CWD)).toBe(runLine(ELSEWHERE, CWD));
  expect(afterMending(ELSEWHERE, CWD, needs)).toBe('aieval resume r-8kq2aaaa && aieval worker r-8kq2aaaa --tags gpu,large');
  expect(afterMending(sampleRun(), CWD, needs)).toBe('aieval run manifest.json');
});

test('what only its manifest can begin is said with the place where that is', () => {
  expect(runLine(ELSEWHERE, CWD, ['--max-cost', '3'])).toBe(
    'aieval run /home/ann/spec/manifest.json --max-cost 3 (on the machine that has this file)',
  );
  expect(manifestLine(ELSEWHERE, CWD, ['doctor', '--online'])).toBe(
    'aieval doctor /home/ann/spec/manifest.json --online (on the machine that has this file)',
  );
  expect(manifestLine(sampleRun(), CWD, ['doctor', '--online'])).toBe('aieval doctor manifest.json --online');
});

test('a manifest is here where its file is, on the machine of the run; or where this process started with one', () => {
  const here = (spansMachines: boolean, isThere: boolean) => runHere(sampleRun(), { store: { spansMachines }, isThere: () => isThere });
  expect([here(false, true), here(false, false), here(true, true)].map(({ manifestHere }) => manifestHere)).toEqual([true, false, false]);
  const store = { spansMachines: true };
  expect(continueLine(runHere(sampleRun(), { store, startedWith: '/home/bob/m.json' }), '/home/bob')).toBe('aieval run m.json');
});
