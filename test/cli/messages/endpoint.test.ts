import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { answer, apiError, type Script, startScriptedServer } from '../../providers/scripted-server.ts';
import { aieval } from '../binary.ts';
import { DOCUMENT, endpointText, expectError, folder, told } from './case.ts';

const undo: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0)) await step();
});

const DOCUMENTS = { ...DOCUMENT, 'docs/02.md': 'Two shall be two.\n', 'docs/03.md': 'Three shall be three.\n' };
const ONE_AT_A_TIME = { concurrency: 1 };
const KEY = 'planted-key-0001';

async function at(script: Script, parts: object = {}, provider: object = { apiKeyEnv: 'LAB_KEY' }) {
  const server = await startScriptedServer(script);
  undo.push(server.close);
  const text = endpointText(server.baseUrl, { ...ONE_AT_A_TIME, ...parts }, provider);
  const place = folder({ files: { 'manifest.json': text, ...DOCUMENTS }, env: { LAB_KEY: KEY } });
  return { place, server, host: new URL(server.baseUrl).host };
}

const never = () => answer('never asked');
const stopLines = (stderr: string) => stderr.split('\n').filter((line) => /^ {2}stopped| {6}→/.test(line));

describe('keys', () => {
  test('E05: a key that is not set is named, with the ways to set it; in CI another way', async () => {
    const text = endpointText('http://127.0.0.1:9/v1', {}, { apiKeyEnv: 'LAB_KEY' });
    const place = folder({ files: { 'manifest.json': text, ...DOCUMENT } });
    await expectError(place, ['run', 'manifest.json'], {
      exitCode: 4,
      lines: [
        'error[E05]: provider "lab" needs LAB_KEY (providers.lab.apiKeyEnv), which is not set',
        'next: export LAB_KEY=…, or write LAB_KEY=… into .env beside the manifest',
      ],
    });
    const ci = folder({ files: { 'manifest.json': text, ...DOCUMENT }, env: { CI: 'true', GITHUB_EVENT_NAME: 'pull_request' } });
    await expectError(ci, ['run', 'manifest.json'], {
      exitCode: 4,
      lines: [
        'error[E05]: provider "lab" needs LAB_KEY (providers.lab.apiKeyEnv), which is not set. GitHub gives no secrets to pull requests from forks',
        'next: give it to the job, as a secret in its env; .env is not read in CI',
      ],
    });
  });

  test('E05: with --env the file that is read is named as the place for a key', async () => {
    const text = endpointText('http://127.0.0.1:9/v1', {}, { apiKeyEnv: 'LAB_KEY' });
    const named = folder({ files: { 'manifest.json': text, ...DOCUMENT, 'lab.env': 'OTHER=1\n' } });
    await expectError(named, ['run', 'manifest.json', '--env', 'lab.env'], {
      exitCode: 4,
      lines: [
        'error[E05]: provider "lab" needs LAB_KEY (providers.lab.apiKeyEnv), which is not set',
        'next: export LAB_KEY=…, or write LAB_KEY=… into lab.env',
      ],
    });
  });

  test('E05: a worker, which has no manifest, names the .env that it would read, or that it reads none', async () => {
    const quota = apiError(429, { message: 'quota', code: 'insufficient_quota' });
    const { place } = await at({ respond: ({ n }) => (n === 1 ? answer('yes') : quota) });
    expect(told(await place.aieval('run', 'manifest.json'), place)).toContain('stopped');
    const keyless = (from: string, ...args: string[]) => aieval(args, { cwd: join(place.dir, from) });
    const next = (into: string) => `next: export LAB_KEY=…, or write LAB_KEY=… into ${into}\n`;
    mkdirSync(join(place.dir, 'docs', 'deep'));
    const elsewhere = folder();
    expect((await keyless('', 'worker', 'latest')).stderr).toContain(next('.env'));
    expect((await keyless('docs/deep', 'worker', 'latest')).stderr).toContain(next(join(realpathSync(place.dir), '.env')));
    const away = () => aieval(['--db', join(place.dir, '.aieval/aieval.db'), 'worker', 'latest'], { cwd: elsewhere.dir });
    expect((await away()).stderr).toContain(next('a file that --env names'));
    // Where it says so, it is read.
    place.write('.env', `LAB_KEY=${KEY}\n`);
    expect((await keyless('docs/deep', 'worker', 'latest')).stderr).not.toContain('E05');
    elsewhere.write('.env', `LAB_KEY=${KEY}\n`);
    expect((await away()).stderr).toContain(next('a file that --env names'));
  });

  test('E05: a key with a line break in it is refused, and not printed', async () => {
    const text = endpointText('http://127.0.0.1:9/v1', {}, { apiKeyEnv: 'LAB_KEY' });
    await expectError(
      folder({ files: { 'manifest.json': text, ...DOCUMENT }, env: { LAB_KEY: 'planted\nkey' } }),
      ['run', 'manifest.json'],
      {
        exitCode: 4,
        lines: [
          'error[E05]: provider "lab" cannot be asked: LAB_KEY holds a line break at character 8, which no request can carry (from the environment)',
          'next: write the key alone into LAB_KEY, without quotation marks and line breaks',
        ],
      },
    );
  });

  test('E05: a placeholder for a key is refused before anything is asked, with the line that states it', async () => {
    const text = endpointText('https://api.openai.com/v1', {}, { apiKeyEnv: 'OPENAI_API_KEY' });
    const files = { 'manifest.json': text, ...DOCUMENT };
    const lines = (file: string) => [
      `error[E05]: provider "lab" cannot be asked: OPENAI_API_KEY is "your-key", which stands for a key and is none (from ${file})`,
      'next: put your own key into OPENAI_API_KEY',
    ];
    await expectError(folder({ files: { ...files, '.env': '# mine\nOPENAI_API_KEY=your-key\n' } }), ['run', 'manifest.json'], {
      exitCode: 4,
      lines: lines('.env:2'),
    });
    await expectError(folder({ files, env: { OPENAI_API_KEY: 'your-key' } }), ['run', 'manifest.json'], {
      exitCode: 4,
      lines: lines('the environment'),
    });
  });

  test("E35: a vendor's key goes to no other host", async () => {
    const text = endpointText('http://127.0.0.1:9/v1', {}, { apiKeyEnv: 'OPENAI_API_KEY' });
    await expectError(folder({ files: { 'manifest.json': text, ...DOCUMENT }, env: { OPENAI_API_KEY: KEY } }), ['run', 'manifest.json'], {
      exitCode: 4,
      lines: [
        "error[E35]: OPENAI_API_KEY is sent to api.openai.com, *.api.openai.com only, not to 127.0.0.1:9; put this server's key in a variable of your own naming",
        'next: remove OPENAI_API_KEY from providers.lab in the manifest',
      ],
    });
  });

  test('E12: a key that is refused is found before the first call', async () => {
    const refused = apiError(401, { message: 'no', code: 'invalid_api_key' });
    const { place, server, host } = await at({ respond: never, models: refused });
    await expectError(place, ['run', 'manifest.json'], {
      exitCode: 4,
      lines: [
        `error[E12]: ${server.baseUrl} refused the key in LAB_KEY (${host} answered 401 invalid_api_key: no). 0 jobs ran; nothing was charged`,
        'next: put a valid key into LAB_KEY',
      ],
    });
    expect(server.requests).toHaveLength(0);
  });

  test('E12: a server that wants a key where none is sent', async () => {
    const { place, server, host } = await at({ respond: never, models: apiError(401, { message: 'no' }) }, {}, {});
    await expectError(place, ['run', 'manifest.json'], {
      exitCode: 4,
      lines: [
        `error[E12]: ${server.baseUrl} wants a key, and provider "lab" sends none (${host} answered 401: no). 0 jobs ran; nothing was charged`,
        'next: set providers.lab.apiKeyEnv',
      ],
    });
  });

  test('E12: a key that is refused in the middle stops the run, which goes on when it is mended', async () => {
    let valid = false;
    const { place, server, host } = await at({
      respond: ({ n }) => (n === 1 || valid ? answer('yes') : apiError(401, { message: 'no', code: 'invalid_api_key' })),
    });
    const { exitCode, stderr } = await place.aieval('run', 'manifest.json');
    expect(exitCode).toBe(3);
    expect(stopLines(stderr)).toEqual([
      `  stopped (E12): lab is paused: ${host} answered 401 invalid_api_key: no, 2 jobs left`,
      '      → put a valid key into LAB_KEY, then: aieval run manifest.json',
    ]);
    valid = true;
    expect((await place.aieval('run', 'manifest.json')).exitCode).toBe(0);
    expect(server.requests).toHaveLength(4);
  });
});

describe('models and servers', () => {
  test('E13: an unknown model is found before the first call, with the closest that are offered', async () => {
    const { place, server } = await at({ respond: never, models: ['fst', 'fast-8b', 'unlike'] });
    await expectError(place, ['run', 'manifest.json'], {
      exitCode: 4,
      lines: [
        `error[E13]: model "fast" is not offered by ${server.baseUrl}. Closest offered: fst, fast-8b, unlike`,
        'next: fix models.fast.model in the manifest',
      ],
    });
    expect(server.requests).toHaveLength(0);
  });

  test('E14: a server that is not there: code of the system, what to do, and how to look closer; the last command runs', async () => {
    const { place, server, host } = await at({ respond: never });
    await server.close();
    await expectError(place, ['run', 'manifest.json'], {
      exitCode: 4,
      lines: [
        `error[E14]: cannot use ${server.baseUrl} for provider "lab": cannot reach ${host} (ECONNREFUSED). Nothing was spent`,
        'next: start the server, or correct providers.lab.baseUrl',
        'next: aieval doctor manifest.json --online',
      ],
    });
    const looked = await place.aieval('doctor', 'manifest.json', '--online');
    expect(looked.exitCode).toBe(4);
    expect(looked.stdout).toContain(`✗ endpoint lab  problem: E14: cannot use ${server.baseUrl}`);
  });

  test('E14: names the proxy that is asked for, and not used', async () => {
    const { place, server } = await at({ respond: never });
    await server.close();
    const args = ['run', 'manifest.json'];
    const { stderr } = await aieval(args, { cwd: place.dir, env: { LAB_KEY: KEY, HTTPS_PROXY: 'http://user:planted@proxy:1' } });
    expect(stderr).toContain('(ECONNREFUSED). Nothing was spent. HTTPS_PROXY is set, and aieval connects without a proxy\n');
    expect(stderr).not.toContain('planted');
  });

  test('E15: no credit stops the run at once, counts what is left, and the same command goes on', async () => {
    let paid = false;
    const { place, server, host } = await at({
      respond: ({ n }) => (n === 1 || paid ? answer('yes') : apiError(429, { message: 'quota', code: 'insufficient_quota' })),
    });
    const { exitCode, stderr } = await place.aieval('run', 'manifest.json');
    expect(exitCode).toBe(3);
    expect(stopLines(stderr)).toEqual([
      `  stopped (E15): lab is paused: ${host} answered 429 insufficient_quota: quota, 2 jobs left`,
      '      → add credit, then: aieval run manifest.json',
    ]);
    expect(stderr).toMatch(/^INCOMPLETE .* 2 of 3 results still open \(1 pass, 0 fail\) {4}exit 3$/m);
    expect(server.requests).toHaveLength(2);
    paid = true;
    expect((await place.aieval('run', 'manifest.json')).exitCode).toBe(0);
    expect(server.requests).toHaveLength(4);
  });

  test('E16: a wait beyond retry.maxWaitMs is not waited for: until when, and how to stay', async () => {
    const { place, host } = await at({
      respond: ({ n }) => (n === 1 ? answer('yes') : apiError(429, { message: 'slow down' }, { 'retry-after': '86400' })),
    });
    const { exitCode, stderr } = await place.aieval('run', 'manifest.json');
    expect(exitCode).toBe(3);
    const [stopped = '', after = '', stay = ''] = stopLines(stderr);
    expect(stopped).toMatch(
      new RegExp(
        `^ {2}stopped \\(E16\\): lab asks to wait until \\w{3} \\d\\d:\\d\\d \\(in \\S+ \\S+\\): ${host} answered 429: slow down, 2 jobs left$`,
      ),
    );
    expect(after).toMatch(/^ {6}→ after \w{3} \d\d:\d\d: aieval run manifest\.json$/);
    expect(stay).toBe('      → aieval run manifest.json --wait');
    const again = await place.aieval('run', 'manifest.json');
    expect(again.exitCode).toBe(3);
    expect(told(again, place)).toContain('joined=true');
  });
});
