import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadManifest } from '../../../src/engine/load-manifest.ts';
import { type Project, project } from '../../e2e/project.ts';

let folder: Project;

beforeEach(() => {
  folder = project();
});

afterEach(() => folder.remove());

test('init --example writes a complete example that runs without a network', async () => {
  const { exitCode, stdout } = await folder.aieval('init', 'demo', '--example', '--json');
  expect(exitCode).toBe(0);
  const { created, next } = JSON.parse(stdout);
  expect(next).toEqual(['aieval run demo/manifest.json']);
  expect(created).toContain('demo/documents/dram-refresh-paper.pdf');
  expect(created.filter((path: string) => !existsSync(join(folder.dir, path)))).toEqual([]);
  expect(readdirSync(join(folder.dir, 'demo'))).not.toContain('README.md');
  const ran = await folder.aieval('run', 'demo/manifest.json', '--json');
  expect([ran.exitCode, JSON.parse(ran.stdout.trimEnd().split('\n').at(-1) ?? '{}')]).toEqual([
    0,
    expect.objectContaining({ verdict: 'pass' }),
  ]);
});

test('init names every file in its way, and writes over them with --force only', async () => {
  folder.write('manifest.json', '{}');
  folder.write('prompts/review.md', 'mine');
  const refused = await folder.aieval('init');
  expect(refused).toEqual({
    exitCode: 2,
    stdout: '',
    stderr:
      'error[E34]: manifest.json, prompts/review.md exist already; nothing was written\n' +
      'next: aieval init <another folder>\nnext: aieval init . --force\n',
  });
  expect([folder.read('prompts/review.md'), existsSync(join(folder.dir, 'schemas'))]).toEqual(['mine', false]);
  expect((await folder.aieval('init', '--force')).exitCode).toBe(0);
  expect(folder.read('prompts/review.md')).toContain('{{document}}');
});

test('init keeps keys and answers out of a repository, and leaves a .gitignore that is there alone', async () => {
  await folder.aieval('init', 'new');
  expect(folder.read('new/.gitignore')).toBe('.aieval/\n.env\n');
  folder.write('old/.gitignore', 'dist\n.env\n');
  const { stdout } = await folder.aieval('init', 'old', '--force');
  expect(stdout).toContain('\nkept .gitignore: add .aieval/ to it\n');
  expect(folder.read('old/.gitignore')).toBe('dist\n.env\n');
});

test('what init writes reviews documents of every kind that are put into its folder, without a change', async () => {
  await folder.aieval('init');
  const names = ['a.md', 'b.txt', 'deep/c.pdf', 'd.docx', 'e.html', 'f.adoc', 'g.tex', 'h.htm', 'i.markdown', 'j.txt.gz', 'k.pdf.gz'];
  for (const name of names) folder.write(`specs/${name}`, 'x');
  const { documents, manifest } = await loadManifest('manifest.json', { cwd: folder.dir });
  expect(documents.map(({ documentId }) => documentId)).toEqual([...names, 'sensor-link.md'].map((name) => `specs/${name}`).sort());
  expect(manifest.tasks.review?.chunk).not.toBeNull();
  // A document that fits its model is asked whole.
  expect(manifest.models.fast?.contextTokens).toBe(272_000);
});

test('the commands that init prints work where they are typed', async () => {
  folder.write('sub/.keep', '');
  const { stdout } = await folder.aieval('-C', 'sub', 'init');
  expect(stdout).toContain('\nnext: aieval -C sub plan manifest.json\n');
  expect(stdout).toContain('\nthen: aieval -C sub run manifest.json\n');
});

test('validate --strict fails on warnings, and says so', async () => {
  await folder.aieval('init');
  folder.write('prompts/review.md', 'A question that is longer than what follows. {{document}} {{schema}}');
  expect((await folder.aieval('validate', 'manifest.json')).exitCode).toBe(0);
  const strict = await folder.aieval('validate', 'manifest.json', '--strict');
  expect([strict.exitCode, strict.stdout]).toEqual([2, '']);
  expect(strict.stderr).toMatch(/^warning: prompts\/review\.md:.*\n1 warning, which --strict does not let pass\n$/);
  const json = await folder.aieval('validate', 'manifest.json', '--strict', '--json');
  expect(JSON.parse(json.stdout)).toMatchObject({ v: 1, ok: false, problems: [], warnings: [expect.stringContaining('prefix')] });
});

test('validate, plan and run print problems in the same form', async () => {
  folder.write('manifest.json', '{ "version": 1,\n "documnets": [],\n "models": {}, "tasks": { "t": 3 } }');
  const printed = await Promise.all(
    ['validate', 'plan', 'run'].map(async (command) => (await folder.aieval(command, 'manifest.json')).stderr),
  );
  const [validated = [], planned, ran] = printed.map((text) => text.split('\n').filter((line) => line.startsWith('error[')));
  expect(validated[0]).toMatch(/^error\[E07\]: manifest\.json:1:1: documents is missing/);
  expect(validated.length).toBeGreaterThan(2);
  expect([planned, ran]).toEqual([validated, validated]);
});

test('validate --profile judges the manifest with the profile, and goes on with it', async () => {
  await folder.aieval('init');
  folder.write(
    'manifest.json',
    folder.read('manifest.json').replace('"version": 1,', '"version": 1, "profiles": { "ci": { "concurrency": 2 } },'),
  );
  const { stdout } = await folder.aieval('validate', 'manifest.json', '--profile', 'ci');
  expect(stdout).toBe(
    'manifest.json is valid with profile ci: 1 task, 1 model; 1 document, not opened: aieval plan reads it\n' +
      'next: aieval plan manifest.json --profile ci\n',
  );
});
