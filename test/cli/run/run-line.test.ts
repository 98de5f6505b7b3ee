import { expect, test } from 'vitest';
import { continueLine } from '../../../src/cli/run/run-line.ts';
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
