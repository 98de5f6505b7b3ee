import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SettingOptions } from '../../../src/cli/commands/options.ts';
import { originsOf } from '../../../src/cli/config/config-origins.ts';
import { resolveGlobals } from '../../../src/cli/globals.ts';
import { readManifest } from '../../../src/cli/plan/prepare.ts';
import { type Project, project } from '../../e2e/project.ts';
import { fakeIo } from '../fake-io.ts';

const MANIFEST = `{ "version": 1, "extends": ["base.json"], "documents": ["*.md"],
"models": { "fast": { "model": "gpt-5-mini", "params": { "maxOutputTokens": 9 } }, "own": { "provider": "lab", "model": "m", "price": "free" } },
"tasks": { "t": { "prompt": "{{document}}", "checks": [] } },
"budget": { "tokens": 5000 }, "profiles": { "ci": { "cache": { "mode": "off" } } } }`;

let folder: Project;

beforeEach(() => {
  folder = project({
    files: {
      'manifest.json': MANIFEST.replace('"m", "price"', '"m", "params": { "maxOutputTokens": 9 }, "price"'),
      'base.json':
        '{ "gate": { "minPassRate": 0.5 },\n"providers": { "lab": { "type": "openai", "baseUrl": "http://127.0.0.1:8000/v1" } } }',
      'a.md': 'x',
    },
  });
});

afterEach(() => folder.remove());

async function origins(options: SettingOptions): Promise<Record<string, string>> {
  const { io, globals } = resolveGlobals({ db: 'x.db' }, fakeIo({ cwd: folder.dir, env: { AIEVAL_LOG_FORMAT: 'json' } }), {
    config: { path: '/c.json', values: { noColor: true } },
    envFiles: [{ path: '/p/.env', names: ['A', 'B'] }],
  });
  const loaded = await readManifest(io, 'manifest.json', options);
  return Object.fromEntries(originsOf(loaded, globals, options).map(({ name, value, from }) => [name, `${value} | ${from}`]));
}

test('every setting and field is told with its value and with who said it', async () => {
  const layers = { from: { profile: 'AIEVAL_PROFILE', maxJobs: 'user config /c.json' }, unstated: { maxJobs: 50 } };
  expect(await origins({ profile: 'ci', concurrency: 2, maxCost: 1.5, layers })).toEqual({
    variables: 'A, B | /p/.env',
    db: `${folder.dir}/x.db | flag --db`,
    store: 'none | default',
    out: '.aieval/runs | default',
    display: 'as stderr is | default',
    logFormat: 'json | AIEVAL_LOG_FORMAT',
    noColor: 'true | user config /c.json',
    noInput: 'false | default',
    trustFs: 'false | default',
    profile: 'ci | AIEVAL_PROFILE',
    concurrency: '2 | flag --concurrency',
    maxCost: '1.5 | flag --max-cost',
    maxJobs: '50 | user config /c.json',
    'budget.tokens': '5000 | manifest.json:4:23',
    'budget.minutes': 'none | default',
    'budget.group': 'none | default',
    'gate.minPassRate': '0.5 | base.json:1:28',
    'gate.maxErrorRate': '0 | default',
    'cache.mode': 'off | manifest.json:4:72',
    'retry.attempts': '3 | default',
    'retry.lostLeases': '3 | default',
    'retry.maxWaitMs': '120000 | default',
    maxQueueDepth: 'none | default',
    outputs: 'none | default',
    'privacy.evidence': 'quote | default',
    'providers.openai.baseUrl': 'https://api.openai.com/v1 | default',
    'providers.lab.baseUrl': 'http://127.0.0.1:8000/v1 | base.json:2:54',
    'models.fast.price': expect.stringMatching(/^\{"inputPerMTok":.*\} \| list price$/),
    'models.own.price': expect.stringMatching(/^free \| manifest\.json:2:\d+$/),
  });
});
