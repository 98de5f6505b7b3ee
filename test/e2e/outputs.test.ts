import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { quickstartRun } from '../cli/quickstart-run.ts';
import { answerJson, startScriptedServer } from '../providers/scripted-server.ts';
import { documents, goodAnswer, manifest, project } from './project.ts';

// Some tests start several processes, one after the other.
vi.setConfig({ testTimeout: 60_000 });

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

/** A run that its budget stops, and its manifest with other parts: whoever runs that goes on with the run. */
async function stoppedRun(parts: object) {
  const server = await startScriptedServer({ respond: ({ prompt }) => answerJson(goodAnswer(prompt)) });
  const base = { concurrency: 1, budget: { usd: 0.0006 } };
  const place = project({ files: { ...documents(3), 'manifest.json': manifest(server.baseUrl, { ...base, ...parts }) } });
  undo.push(() => void server.close(), place.remove);
  expect(await place.aieval('run', 'manifest.json')).toMatchObject({ exitCode: 6 });
  const [runId = ''] = readdirSync(join(place.dir, '.aieval/runs'));
  const outDir = join(place.dir, '.aieval/runs', runId);
  const goOn = async (others: object): Promise<void> => {
    place.write('manifest.json', manifest(server.baseUrl, { ...base, ...others, budget: { usd: 1 } }));
    expect(await place.aieval('run', 'manifest.json')).toMatchObject({ exitCode: 0 });
    expect(readdirSync(join(place.dir, '.aieval/runs'))).toEqual([runId]);
  };
  const files = (): string[] => readdirSync(outDir).filter((name) => !OWN.includes(name));
  return { place, outDir, goOn, files };
}

const OWN = ['jobs', 'manifest.resolved.json', 'results.jsonl', 'summary.md', 'texts'];

test('a file that outputs names no more goes when the run goes on; other files beside it stay', async () => {
  const { outDir, goOn, files } = await stoppedRun({ outputs: Object.keys(FORMATS) });
  expect(files().sort()).toEqual(Object.values(FORMATS).sort());
  writeFileSync(join(outDir, 'notes.txt'), 'mine');
  writeFileSync(join(outDir, 'junit.xml.old'), 'mine');
  await goOn({ outputs: ['csv'] });
  expect(files().sort()).toEqual(['junit.xml.old', 'notes.txt', 'results.csv']);
});

test('a report that was asked for by itself stays, but not where privacy has since forbidden its words', async () => {
  const [first, second] = [await stoppedRun({}), await stoppedRun({})];
  for (const { place } of [first, second]) expect(await place.aieval('report')).toMatchObject({ exitCode: 0 });
  await first.goOn({});
  expect(first.files()).toEqual(['report.html']);
  await second.goOn({ privacy: { evidence: 'none' } });
  expect(second.files()).toEqual([]);
});
