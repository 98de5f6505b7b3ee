import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { quickstartRun } from '../cli/quickstart-run.ts';

const undo: (() => void)[] = [];
afterEach(() => {
  for (const step of undo.splice(0)) step();
});

async function withOutputs(parts: object) {
  const made = await quickstartRun(parts);
  undo.push(made.place.remove);
  return made;
}

const FORMATS = { junit: 'junit.xml', csv: 'results.csv', sarif: 'aieval.sarif', badge: 'badge.json' };

test('the files that a manifest asks for stand beside summary.md, as export writes them, and go with the run', async () => {
  const { place, outDir } = await withOutputs({ outputs: ['html', ...Object.keys(FORMATS)] });
  expect(readdirSync(outDir).sort()).toEqual(
    [...Object.values(FORMATS), 'jobs', 'manifest.resolved.json', 'report.html', 'results.jsonl', 'summary.md', 'texts'].sort(),
  );
  for (const [format, name] of Object.entries(FORMATS)) {
    await place.aieval('export', '--format', format, '-o', name);
    expect(place.read(name), name).toBe(readFileSync(join(outDir, name), 'utf8'));
  }
  expect(await place.aieval('gc', '--keep-days', '0', '--keep-runs', '0', '--yes')).toMatchObject({ exitCode: 0 });
  expect(existsSync(outDir)).toBe(false);
});

test('a file that cannot be written fails no run, and is told', async () => {
  const { place, outDir } = await withOutputs({ outputs: ['junit', 'badge'] });
  rmSync(join(outDir, 'junit.xml'));
  mkdirSync(join(outDir, 'junit.xml'));
  rmSync(join(outDir, 'badge.json'));
  const { exitCode, stderr } = await place.aieval('summary');
  expect(exitCode).toBe(0);
  expect(stderr).toContain(
    `warning: junit.xml: not written: cannot write ${join(outDir, 'junit.xml')}: a folder stands where the file belongs`,
  );
  expect(existsSync(join(outDir, 'badge.json'))).toBe(true);
});

test('with privacy.evidence "none" no export holds a word of a document or a model', async () => {
  const { place, outDir } = await withOutputs({ outputs: Object.keys(FORMATS), privacy: { evidence: 'none' } });
  const words = /transmitter|pump|lease shall|refused:|medical|Lindqvist/;
  expect(readFileSync(join(outDir, 'results.jsonl'), 'utf8')).toMatch(words);
  for (const name of Object.values(FORMATS)) expect(readFileSync(join(outDir, name), 'utf8'), name).not.toMatch(words);
  const { stdout } = await place.aieval('export', '--format', 'jsonl');
  expect(stdout).not.toMatch(words);
  expect(stdout.trim().split('\n')).toHaveLength(21);
});
