import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SettingOptions } from '../../../src/cli/commands/options.ts';
import { boundOrigins } from '../../../src/cli/config/bound-origins.ts';
import { readManifest } from '../../../src/cli/plan/prepare.ts';
import { type Project, project } from '../../e2e/project.ts';
import { fakeIo } from '../fake-io.ts';

const MANIFEST = `{ "version": 1, "documents": ["*.md"],
"models": { "m": { "model": "m", "price": "free", "params": { "maxOutputTokens": 9 } } },
"tasks": { "t": { "prompt": "{{document}}", "checks": [] } },
"maxJobs": 5, "budget": { "tokens": 5000, "group": { "name": "g", "usd": 3 } },
"profiles": { "ci": { "budget": { "tokens": 50 } } } }`;

let folder: Project;
beforeEach(() => {
  folder = project({ files: { 'manifest.json': MANIFEST, 'a.md': 'x' } });
});
afterEach(() => folder.remove());

async function origins(options: SettingOptions) {
  return boundOrigins(await readManifest(fakeIo({ cwd: folder.dir }), 'manifest.json', options), options);
}

test('the manifest is named with the place of each bound that it states, and the profile that brought one', async () => {
  expect(await origins({ profile: 'ci' })).toEqual({
    usd: null,
    tokens: 'profile "ci", manifest.json:5:45',
    group: 'manifest.json:4:74',
    maxJobs: 'manifest.json:4:12',
  });
});

test('a flag and a variable are named before the manifest, the user config after it', async () => {
  const from = { maxCost: 'AIEVAL_MAX_COST in /p/.env', maxJobs: 'user config /c.json' };
  const unstated = { maxJobs: 7 };
  expect(await origins({ maxCost: 2, layers: { from, unstated } })).toMatchObject({
    usd: 'AIEVAL_MAX_COST in /p/.env',
    maxJobs: 'manifest.json:4:12',
  });
  expect(await origins({ maxCost: 2, maxJobs: 9 })).toMatchObject({ usd: '--max-cost', maxJobs: '--max-jobs' });
  folder.write('manifest.json', MANIFEST.replace('"maxJobs": 5, ', ''));
  expect(await origins({ layers: { from, unstated: { ...unstated, maxCost: 1 } } })).toMatchObject({
    usd: 'AIEVAL_MAX_COST in /p/.env',
    maxJobs: 'user config /c.json',
  });
});
