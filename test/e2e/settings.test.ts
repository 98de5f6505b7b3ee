import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { aieval } from '../cli/binary.ts';
import { documents, type Project, project } from './project.ts';

const MANIFEST = {
  version: 1,
  documents: ['docs/*.md'],
  providers: { sim: { type: 'simulated' } },
  models: { small: { provider: 'sim', model: 'small', price: 'free', params: { maxOutputTokens: 100 } } },
  tasks: { t: { prompt: '{{document}}\nJudge.', output: { format: 'text' }, checks: [] } },
  profiles: { ci: { concurrency: 6 } },
};

let folder: Project;

beforeEach(() => {
  folder = project({ files: { ...documents(1), 'spec/manifest.json': JSON.stringify({ ...MANIFEST, documents: ['../docs/*.md'] }) } });
});

afterEach(() => folder.remove());

/** What `plan -v` says of a setting: its value and where it came from. */
async function said(setting: string, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const { stdout, stderr } = await aieval(['plan', 'spec/manifest.json', '-v', ...args], {
    cwd: folder.dir,
    env: { HOME: folder.dir, ...env },
  });
  const line = stdout.split('\n').find((each) => each.startsWith(`${setting} `));
  return line?.split(/ {2,}/).slice(1).join(' from ') ?? `${stdout}${stderr}`;
}

test('a flag beats the environment, that the manifest, that the user config, and that the default', async () => {
  expect(await said('concurrency')).toBe('8 from default');
  folder.write('.config/aieval/config.json', '{ "concurrency": 3, "maxCost": 2 }');
  expect(await said('concurrency')).toBe(`3 from user config ${join(folder.dir, '.config/aieval/config.json')}`);
  expect(await said('maxCost')).toBe(`2 from user config ${join(folder.dir, '.config/aieval/config.json')}`);
  folder.write('spec/manifest.json', JSON.stringify({ ...MANIFEST, documents: ['../docs/*.md'], concurrency: 4 }, null, 2));
  expect(await said('concurrency')).toMatch(/^4 from spec\/manifest\.json:\d+:\d+$/);
  expect(await said('concurrency', ['--profile', 'ci'])).toMatch(/^6 from spec\/manifest\.json:\d+:\d+$/);
  expect(await said('concurrency', ['--profile', 'ci'], { AIEVAL_CONCURRENCY: '5' })).toBe('5 from AIEVAL_CONCURRENCY');
  expect(await said('concurrency', ['--concurrency', '7'], { AIEVAL_CONCURRENCY: '5' })).toBe('7 from flag --concurrency');
}, 60_000);

test('a profile is chosen by flag, variable or user config, and an unknown one is told', async () => {
  expect(await said('concurrency', [], { AIEVAL_PROFILE: 'ci' })).toMatch(/^6 from /);
  expect(await said('concurrency', [], { AIEVAL_PROFILE: 'cj' })).toContain(
    'AIEVAL_PROFILE asks for profile "cj": it is not in profiles (ci). Did you mean "ci"?',
  );
  folder.write('own.jsonc', '{ /* mine */ "profile": "ci" }');
  expect(await said('profile', [], { AIEVAL_CONFIG: 'own.jsonc' })).toBe(`ci from user config ${join(folder.dir, 'own.jsonc')}`);
}, 60_000);

test('what cannot be meant is an error that names who said it', async () => {
  expect(await said('concurrency', [], { AIEVAL_CONCURRENCY: 'many' })).toBe(
    'error[E00]: AIEVAL_CONCURRENCY must be a whole number 1–9999, got "many"\nnext: unset AIEVAL_CONCURRENCY\n',
  );
  folder.write('own.json', '{\n  "conurrency": 3\n}');
  expect(await said('concurrency', [], { AIEVAL_CONFIG: 'own.json' })).toContain(
    `error[E04]: ${join(folder.dir, 'own.json')}:2:3: unknown key "conurrency" in the user config. Did you mean "concurrency"?`,
  );
  expect(await said('concurrency', [], { AIEVAL_CONFIG: 'none.json' })).toContain('cannot read the user config');
}, 60_000);

test('.env beside the manifest is read, but not in CI, where --env is', async () => {
  folder.write('spec/.env', 'AIEVAL_CONCURRENCY=2\nAPI_KEY=very-secret\n');
  expect(await said('concurrency')).toBe(`2 from AIEVAL_CONCURRENCY in ${join(folder.dir, 'spec/.env')}`);
  const whole = await said('nothing');
  expect(whole).toContain('AIEVAL_CONCURRENCY, API_KEY');
  expect(whole).not.toContain('very-secret');
  expect(await said('concurrency', [], { AIEVAL_CONCURRENCY: '3' })).toBe('3 from AIEVAL_CONCURRENCY');
  expect(await said('concurrency', [], { CI: 'true' })).toBe('8 from default');
  expect(await said('concurrency', ['--env', 'spec/.env'], { CI: 'true' })).toMatch(/^2 from AIEVAL_CONCURRENCY in /);
  // Node 20 itself looks for the file of such an argument, unless it was told where its own arguments end.
  const missing = await aieval(['plan', 'spec/manifest.json', '--env', 'none.env'], { cwd: folder.dir, nodeArguments: ['--'] });
  expect(missing).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('error[E00]: cannot read the environment file') });
}, 60_000);

test('commands without a manifest read the .env beside the state folder', async () => {
  folder.write('.aieval/.keep', '');
  folder.write('.env', 'AIEVAL_DISPLAY=loud\n');
  const { exitCode, stderr } = await folder.aieval('status');
  expect({ exitCode, stderr }).toEqual({
    exitCode: 2,
    stderr: 'error[E00]: AIEVAL_DISPLAY must be full, plain or none, got "loud"\nnext: unset AIEVAL_DISPLAY\n',
  });
});

test('AIEVAL_OUT moves the files of a run, and its manifest holds what a profile and extended files gave', async () => {
  folder.write('spec/base.json', '{ "concurrency": 1 }');
  folder.write('spec/manifest.json', JSON.stringify({ ...MANIFEST, extends: ['base.json'], documents: ['../docs/*.md'] }));
  const env = { AIEVAL_OUT: 'elsewhere', AIEVAL_PROFILE: 'ci', AIEVAL_MAX_JOBS: '1' };
  const { exitCode, stdout } = await aieval(['run', 'spec/manifest.json', '--json'], { cwd: folder.dir, env });
  expect(exitCode).toBe(0);
  const { run } = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '{}');
  const path = `elsewhere/${run}/manifest.resolved.json`;
  expect(existsSync(join(folder.dir, path))).toBe(true);
  expect(JSON.parse(folder.read(path))).toMatchObject({ concurrency: 6, maxJobs: 1, outputs: [], privacy: { evidence: 'quote' } });
});

test('--max-jobs refuses what the manifest would take', async () => {
  folder.write('docs/02.md', '# Another\n\nMore text.\n');
  const { exitCode, stderr } = await folder.aieval('plan', 'spec/manifest.json', '--max-jobs', '1');
  expect(exitCode).toBe(2);
  expect(stderr).toContain('more than');
});
