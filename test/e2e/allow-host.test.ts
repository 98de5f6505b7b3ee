import { afterEach, expect, test } from 'vitest';
import { documents, manifest, type Project, project } from './project.ts';

const undo: (() => void)[] = [];
afterEach(() => {
  for (const step of undo.splice(0).reverse()) step();
});

/** A name that no resolver knows: what lets the key go ends at the connection instead. */
const BASE_URL = 'http://lab.invalid:9/v1';

function inCi(env: Record<string, string> = {}): Project {
  const providers = { lab: { type: 'openai', baseUrl: BASE_URL, apiKeyEnv: 'LAB_KEY' } };
  const made = project({
    env: { CI: 'true', LAB_KEY: 'opensesame-1', ...env },
    files: { 'manifest.json': manifest(BASE_URL, { providers }), ...documents(1) },
  });
  undo.push(made.remove);
  return made;
}

test('in CI a key goes to a host that the manifest names only where this machine allows it', async () => {
  const refused = await inCi().aieval('run', 'manifest.json');
  expect(refused.exitCode).toBe(4);
  expect(refused.stderr).toContain('--allow-host lab.invalid');
  const ends = [
    await inCi().aieval('run', 'manifest.json', '--allow-host', 'other.example', '--allow-host', 'lab.invalid'),
    await inCi({ AIEVAL_ALLOW_HOSTS: 'other.example,*.invalid' }).aieval('run', 'manifest.json'),
  ];
  for (const { exitCode, stderr } of ends) {
    expect(exitCode).toBe(4);
    expect(stderr).not.toContain('--allow-host');
    expect(stderr).toContain('cannot reach lab.invalid:9');
  }
});

test('what is no host is refused before anything else', async () => {
  const there = inCi();
  for (const command of [['run', 'manifest.json'], ['retry']]) {
    const { exitCode, stderr } = await there.aieval(...command, '--allow-host', 'https://lab.invalid/v1');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('a host such as lab.example');
  }
  expect((await inCi({ AIEVAL_ALLOW_HOSTS: '*' }).aieval('run', 'manifest.json')).exitCode).toBe(2);
});
