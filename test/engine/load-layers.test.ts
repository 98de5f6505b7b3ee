import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ManifestError } from '../../src/domain/manifest/manifest-error.ts';
import { type LoadDependencies, loadManifest } from '../../src/engine/load-manifest.ts';
import { type Project, project } from '../e2e/project.ts';

const BASE = {
  models: { fast: { model: 'm', price: 'free', params: { temperature: 0, maxOutputTokens: 100 } } },
  tasks: { t: { prompt: '{{document}} Go.', checks: [] } },
};

let folder: Project;

beforeEach(() => {
  folder = project({ files: { 'doc.md': 'A document.' } });
});

afterEach(() => folder.remove());

function write(files: { readonly [path: string]: string | object }): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder.dir, path)), { recursive: true });
    writeFileSync(join(folder.dir, path), typeof content === 'string' ? content : JSON.stringify(content));
  }
}

const load = (path = 'manifest.json', more: LoadDependencies = {}) => loadManifest(path, { cwd: folder.dir, ...more });

async function problems(path?: string, more?: LoadDependencies): Promise<string[]> {
  const error: unknown = await load(path, more).then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ManifestError)) throw new Error(`expected a ManifestError, got ${String(error)}`);
  return error.problems.map(({ code, message }) => `${code} ${message}`);
}

describe('extends', () => {
  test('puts the later over the earlier and the manifest over all: objects merge, all else is replaced', async () => {
    write({
      'manifest.json': { version: 1, extends: ['a.json', 'b.yaml'], documents: ['*.md'], models: { fast: { params: { seed: 1 } } } },
      'a.json': { ...BASE, documents: ['a/*.md', 'b/*.md'], concurrency: 2, gate: { minPassRate: 0.1, maxErrorRate: 0.2 } },
      'b.yaml': 'extends: [deep/c.jsonc]\ngate: { minPassRate: 0.5 }\nconcurrency: 3\n',
      'deep/c.jsonc': '{ "concurrency": 4, "maxJobs": 7, /* the least loud */ }',
    });
    const { manifest } = await load();
    expect(manifest).toMatchObject({ concurrency: 3, maxJobs: 7, gate: { minPassRate: 0.5, maxErrorRate: 0.2 } });
    expect(manifest.models.fast?.params).toEqual({ temperature: 0, maxOutputTokens: 100, seed: 1 });
    expect(manifest.documents.map(({ include }) => include)).toEqual(['*.md']);
  });

  test('replaces an object by null too', async () => {
    write({ 'manifest.json': { version: 1, extends: ['a.json'], gate: null }, 'a.json': { ...BASE, documents: ['*.md'], gate: {} } });
    expect(await problems()).toEqual(['E07 manifest.json:1:42: gate must be an object, got null']);
  });

  test('takes paths in a file from the folder of that file', async () => {
    write({
      'manifest.json': { version: 1, extends: ['shared/all.json'] },
      'shared/all.json': {
        ...BASE,
        documents: ['docs/*.md', { include: '../*.md', exclude: ['../x*'] }, { path: 'docs/b.txt' }],
        providers: { tape: { type: 'replay', cassette: 'tape.json' } },
        tasks: { t: { prompt: 'prompts/p.md', output: { schema: 's.json' }, checks: [] } },
      },
      'shared/prompts/p.md': '{{document}} Of the shared folder.',
      'shared/s.json': { type: 'object', properties: {}, required: [], additionalProperties: false },
      'shared/tape.json': { v: 1, entries: [] },
      'shared/docs/a.md': 'x',
      'shared/docs/b.txt': 'x',
      'xdoc.md': 'left out',
    });
    const { manifest, documents, warnings } = await load();
    expect(documents.map(({ documentId }) => documentId)).toEqual(['doc.md', 'shared/docs/a.md', 'shared/docs/b.txt']);
    expect(manifest.documents.map(({ include, exclude }) => [include, exclude])).toEqual([
      ['shared/docs/*.md', []],
      ['*.md', ['x*']],
      ['shared/docs/b.txt', []],
    ]);
    expect(manifest.tasks.t?.prompt).toBe('{{document}} Of the shared folder.');
    expect(manifest.providers.tape?.cassette?.path).toBe(join(folder.dir, 'shared/tape.json'));
    expect(warnings).toEqual([]);
  });

  test('of a folder whose name is a glob finds the documents in it', async () => {
    write({
      'manifest.json': { version: 1, extends: ['[a] {b}/all.json'] },
      '[a] {b}/all.json': { ...BASE, documents: ['*.md'] },
      '[a] {b}/x.md': 'x',
    });
    expect((await load()).documents.map(({ documentId }) => documentId)).toEqual(['[a] {b}/x.md']);
  });

  test('tells every problem at the place where the value stands', async () => {
    write({
      'manifest.json': { version: 1, extends: ['shared/models.json'], documents: ['*.md'], concurency: 1 },
      'shared/models.json':
        '{\n  "models": { "fast": { "model": "m", "paramms": {} } },\n  "tasks": {\n    "t": { "prompt": "p.md", "checks": [] }\n  }\n}',
    });
    expect(await problems()).toEqual([
      'E04 shared/models.json:2:39: unknown key "paramms" in models.fast. Did you mean "params"?',
      `E28 shared/models.json:4:22: tasks.t.prompt: p.md not found in ${join(folder.dir, 'shared')}`,
      'E04 manifest.json:1:68: unknown key "concurency". Did you mean "concurrency"?',
    ]);
  });

  test('names files as the manifest was typed, and says where a template is wrong', async () => {
    write({
      'spec/manifest.json': { version: 1, extends: ['../shared/t.json'], documents: ['../*.md'], models: BASE.models },
      'shared/t.json': { tasks: { t: { prompt: '{{document}} {{vars.x}}', checks: [] } } },
    });
    expect(await problems('spec/manifest.json')).toEqual([
      'E10 shared/t.json:1:39: unknown variable {{vars.x}}. Known: document, document.path, document.title, schema.',
    ]);
  });

  test('warns of a file outside, not of what stands beside that', async () => {
    write({
      'spec/manifest.json': { version: 1, extends: ['../shared/t.json'], documents: ['a.md'], models: BASE.models },
      'spec/a.md': 'x',
      'shared/t.json': { tasks: { t: { prompt: 'p.md', checks: [] } } },
      'shared/p.md': '{{document}} Go.',
    });
    expect((await load('spec/manifest.json')).warnings).toEqual([
      'spec/manifest.json:1:25: extends[0] "../shared/t.json" is outside the manifest\'s folder',
    ]);
  });

  test('refuses a circle, and names the chain', async () => {
    write({ 'manifest.json': { version: 1, extends: ['a.json'] }, 'a.json': { extends: ['./sub/../manifest.json'] } });
    expect(await problems()).toEqual([
      'E07 a.json:1:13: extends[0] "./sub/../manifest.json" goes in a circle: manifest.json → a.json → manifest.json',
    ]);
  });

  test('refuses a chain that is too long, and names it', async () => {
    const files = Array.from({ length: 12 }, (_, index) => [`${index}.json`, { extends: [`${index + 1}.json`] }]);
    write({ ...Object.fromEntries(files), '12.json': {} });
    expect(await problems('0.json')).toEqual([
      `E07 9.json:1:13: extends[0] "10.json" is deeper than 10 files: ${Array.from({ length: 11 }, (_, index) => `${index}.json`).join(' → ')}`,
    ]);
  });

  test('reads a file that is named on many ways once', async () => {
    const twice = (next: string) => ({ extends: Array.from({ length: 20 }, () => next) });
    const files = Array.from({ length: 8 }, (_, index) => [`${index}.json`, twice(`${index + 1}.json`)]);
    write({ 'manifest.json': { version: 1, documents: ['*.md'], ...twice('0.json') }, ...Object.fromEntries(files), '8.json': BASE });
    expect(Object.keys((await load()).manifest.tasks)).toEqual(['t']);
  });

  test('refuses more than a hundred files', async () => {
    const names = Array.from({ length: 101 }, (_, index) => `f${index}.json`);
    write({ ...Object.fromEntries(names.map((name) => [name, {}])), 'manifest.json': { version: 1, extends: names } });
    expect(await problems()).toEqual([
      expect.stringMatching(/^E07 .*extends\[100\] "f100\.json" is one file too many: 100 may be extended/),
    ]);
  });

  test.each([
    ['a list of paths', { extends: 'a.json' }, 'E07 manifest.json:1:24: extends must be a list of paths, got "a.json" (string)'],
    ['a file that is there', { extends: ['b.json'] }, /^E28 manifest\.json:1:25: extends\[0\] "b\.json" not found in \//],
    ['a file', { extends: ['dir'] }, 'E28 manifest.json:1:25: extends[0] "dir" is a folder'],
    ['an object in it', { extends: ['list.json'] }, 'E07 manifest.json:1:25: extends[0] "list.json" must name a file that holds an object'],
    ['its syntax', { extends: ['bad.json'] }, /^E02 bad\.json:1:2: /],
    ['its version', { extends: ['newer.json'] }, 'E08 newer.json:1:12: manifest version 2 needs a newer aieval; this one reads version 1'],
  ])('wants %s, and says only that', async (_, fields, message) => {
    write({ 'manifest.json': { version: 1, ...fields }, 'dir/x': '', 'list.json': [], 'bad.json': '{x', 'newer.json': { version: 2 } });
    expect(await problems()).toEqual([typeof message === 'string' ? message : expect.stringMatching(message)]);
  });
});

describe('a profile', () => {
  const manifest = {
    version: 1,
    extends: ['shared/base.json'],
    documents: ['*.md'],
    ...BASE,
    profiles: { ci: { concurrency: 2, models: { fast: { params: { seed: 7 } } } }, wide: { documents: ['*.txt'] } },
  };

  beforeEach(() => write({ 'manifest.json': manifest, 'shared/base.json': { profiles: { ci: { maxJobs: 5, concurrency: 9 } } } }));

  test('is put over the whole, with what extended files say of it below', async () => {
    const { manifest: resolved } = await load('manifest.json', { profile: { name: 'ci', by: '--profile' } });
    expect([resolved.concurrency, resolved.maxJobs, resolved.models.fast?.params]).toEqual([
      2,
      5,
      { temperature: 0, maxOutputTokens: 100, seed: 7 },
    ]);
    expect((await load()).manifest).toMatchObject({ concurrency: 8, maxJobs: 10_000 });
  });

  test('that is not there is told with those that are', async () => {
    expect(await problems('manifest.json', { profile: { name: 'cii', by: 'AIEVAL_PROFILE' } })).toEqual([
      expect.stringMatching(
        /^E09 manifest\.json:1:\d+: AIEVAL_PROFILE asks for profile "cii": it is not in profiles \(ci, wide\)\. Did you mean "ci"\?$/,
      ),
    ]);
    write({ 'manifest.json': { version: 1, documents: ['*.md'], ...BASE } });
    expect(await problems('manifest.json', { profile: { name: 'ci', by: '--profile' } })).toEqual([
      'E09 manifest.json:1:1: --profile asks for profile "ci": the manifest has no profiles',
    ]);
  });

  test('is told of at its place, in whatever file it stands', async () => {
    write({ 'shared/base.json': '{ "profiles": {\n  "ci": { "tasks": { "t": { "prompt": "p.md", "repeats": 0 } } } } }' });
    const [first, ...others] = await problems('manifest.json', { profile: { name: 'ci', by: '--profile' } });
    expect([first, others]).toEqual([
      `E28 shared/base.json:2:39: tasks.t.prompt: p.md not found in ${join(folder.dir, 'shared')}`,
      ['E07 shared/base.json:2:58: tasks.t.repeats must be an integer 1–20, got 0'],
    ]);
  });

  test('may complete a manifest that is none without it', async () => {
    const { models, tasks } = BASE;
    write({ 'manifest.json': { version: 1, documents: ['*.md'], models, profiles: { full: { tasks } } } });
    expect(Object.keys((await load('manifest.json', { profile: { name: 'full', by: '--profile' } })).manifest.tasks)).toEqual(['t']);
    expect(await problems()).toEqual([expect.stringContaining('tasks is missing')]);
  });
});

describe('settings of a start', () => {
  test('that are the user config’s count only where the manifest says nothing', async () => {
    const unstated = { concurrency: 3, maxCost: 4, maxJobs: 5 };
    write({ 'manifest.json': { version: 1, documents: ['*.md'], ...BASE } });
    expect((await load('manifest.json', { settings: { unstated } })).manifest).toMatchObject({
      concurrency: 3,
      maxJobs: 5,
      budget: { usd: 4 },
    });
    write({ 'manifest.json': { version: 1, documents: ['*.md'], ...BASE, concurrency: 1, maxJobs: 2, budget: { usd: 6 } } });
    const stated = (await load('manifest.json', { settings: { unstated } })).manifest;
    expect(stated).toMatchObject({ concurrency: 1, maxJobs: 2, budget: { usd: 6 } });
    const both = await load('manifest.json', { settings: { unstated, maxCost: 7, maxJobs: 8 } });
    expect(both.manifest).toMatchObject({ concurrency: 1, maxJobs: 8, budget: { usd: 7 } });
  });

  test('that cannot be enforced are told by the name of who said them', async () => {
    write({ 'manifest.json': { version: 1, documents: ['*.md'], ...BASE, models: { fast: { model: 'm' } } } });
    const more = { settings: { unstated: { maxCost: 4 } }, maxCostName: 'maxCost of the user config /c.json' };
    expect(await problems('manifest.json', more)).toEqual([
      expect.stringContaining('price of model "fast" unknown, so maxCost of the user config /c.json cannot be enforced'),
      expect.stringContaining('unknown (params.maxOutputTokens), so maxCost of the user config /c.json cannot be enforced'),
    ]);
  });
});
