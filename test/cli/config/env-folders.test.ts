import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { envFolders } from '../../../src/cli/config/env-folders.ts';
import { type Project, project } from '../../e2e/project.ts';

const MANIFEST = {
  version: 1,
  name: 'm',
  documents: ['*.md'],
  providers: { sim: { type: 'simulated' } },
  models: { small: { provider: 'sim', model: 'small' } },
  tasks: { ask: { prompt: '{{document}}\n\nWhat?', output: { format: 'text' }, checks: [] } },
};

let folder: Project;
beforeEach(() => {
  folder = project({ files: { 'proj/manifest.json': JSON.stringify(MANIFEST), 'proj/a.md': 'Text.\n', 'proj/deep/b.txt': '' } });
});
afterEach(() => folder.remove());

describe('a .env is looked for', () => {
  const folders = (cwd: string, manifest: string | null = null): string[] =>
    envFolders({ cwd: join(folder.dir, cwd) }, manifest === null ? null : join(folder.dir, manifest)).map((path) =>
      path.slice(folder.dir.length),
    );

  test('beside the manifest, and beside the state, be it there already or to be made', () => {
    expect(folders('', 'proj/manifest.json')).toEqual(['/proj', '']);
    expect(folders('proj', 'proj/manifest.json')).toEqual(['/proj']);
    folder.write('.aieval/.keep', '');
    expect(folders('proj', 'proj/manifest.json')).toEqual(['/proj', '']);
  });

  test('by commands without a manifest where the state is, and nowhere where there is none', () => {
    folder.write('proj/.env', 'OTHER=1\n');
    expect(folders('proj/deep')).toEqual([]);
    folder.write('.aieval/.keep', '');
    expect(folders('proj/deep')).toEqual(['']);
    folder.write('proj/.env', 'OTHER=1\nexport AIEVAL_OUT="x"\n');
    expect(folders('proj/deep')).toEqual(['/proj']);
  });
});

test('a .env that moves database and files is read by every command, its paths from its own folder', async () => {
  folder.write('proj/.env', 'AIEVAL_DB=state/x.db\nAIEVAL_OUT=state/runs\n');
  const ran = await folder.aieval('run', 'proj/manifest.json', '--json');
  expect(ran.exitCode).toBe(0);
  const runId: string = JSON.parse(ran.stdout.trimEnd().split('\n').at(-1) ?? '{}').run;
  const exists = (path: string): boolean => existsSync(join(folder.dir, path));
  expect(['proj/state/x.db', `proj/state/runs/${runId}`, '.aieval', 'proj/.aieval'].map(exists)).toEqual([true, true, false, false]);
  for (const from of ['proj', 'proj/deep']) {
    const { stdout } = await folder.aieval('-C', from, 'status', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ run: { id: runId } });
  }
  expect((await folder.aieval('-C', 'proj', 'complete', '--', 'status')).stdout).toContain(runId);
  expect((await folder.aieval('complete', '--', '-C', 'proj/deep', 'status')).stdout).toContain(runId);
});

test('a printed command holds the database that a .env named, where it would not be read again', async () => {
  folder.write('proj/.env', 'AIEVAL_DB=state/x.db\n');
  const next = async (...args: string[]) => (await folder.aieval(...args)).stdout.match(/^next: .*$/gm);
  expect(await next('plan', 'proj/manifest.json')).toEqual(['next: aieval --db proj/state/x.db run proj/manifest.json']);
  expect(await next('-C', 'proj', 'plan', 'manifest.json')).toEqual(['next: aieval -C proj run manifest.json']);
});
