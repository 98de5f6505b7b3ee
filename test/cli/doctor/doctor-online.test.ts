import { afterEach, describe, expect, test } from 'vitest';
import { inspectOnline } from '../../../src/cli/doctor/doctor-online.ts';
import { readManifest } from '../../../src/cli/plan/prepare.ts';
import { answer, apiError, hang, type Script, startScriptedServer, status } from '../../providers/scripted-server.ts';
import { fakeIo } from '../fake-io.ts';
import { DOCUMENT, endpointText, folder } from '../messages/case.ts';

const undo: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0)) await step();
});

const KEY = 'planted-key-0001';
const USAGE = { usage: { prompt_tokens: 12, completion_tokens: 1 }, finishReason: 'length' };

async function at(script: Script, parts: object = {}, env: Record<string, string> = { LAB_KEY: KEY }) {
  const server = await startScriptedServer(script);
  undo.push(server.close);
  const text = endpointText(server.baseUrl, parts, { apiKeyEnv: 'LAB_KEY' });
  return { server, place: folder({ files: { 'manifest.json': text, ...DOCUMENT }, env }) };
}

const linesOf = (stdout: string, ...names: string[]) =>
  stdout.split('\n').filter((line) => names.some((name) => line.slice(2).startsWith(name)));

describe('aieval doctor MANIFEST', () => {
  test('tells manifest, documents, prices, and that the key is set and may go there, without showing it or asking anybody', async () => {
    const { place, server } = await at({ respond: () => answer('never') });
    const { exitCode, stdout } = await place.aieval('doctor', 'manifest.json');
    expect(exitCode).toBe(0);
    expect(linesOf(stdout, 'manifest', 'documents', 'prices', 'key').map((line) => line.replace(/ +/g, ' '))).toEqual([
      '✓ manifest manifest.json is valid: 1 task, 1 model',
      '✓ documents 1 document found, not opened',
      '✓ prices fast $1 in, $2 out per million (manifest)',
      `✓ key lab LAB_KEY is set, and may go to ${new URL(server.baseUrl).host}`,
    ]);
    expect(stdout).not.toContain(KEY);
    expect([server.requests.length, server.modelLists()]).toEqual([0, 0]);
  });

  test('a key that is not set exits 4, a manifest that is wrong exits 2, each with what helps', async () => {
    const { place } = await at({ respond: () => answer('never') }, {}, {});
    const keyless = await place.aieval('doctor', 'manifest.json', '--quiet');
    expect(keyless.exitCode).toBe(4);
    expect(keyless.stdout).toBe('✗ key lab  problem: E05: LAB_KEY is not set\n           next: export LAB_KEY=…\n');
    place.write('wrong.json', '{ "version": 1 }');
    const wrong = await place.aieval('doctor', 'wrong.json', '--quiet');
    expect(wrong.exitCode).toBe(2);
    expect(wrong.stdout).toMatch(
      /^✗ manifest {2}problem: E07: wrong\.json:1:1: documents is missing.*\n {12}next: aieval validate wrong\.json\n$/,
    );
  });
});

test('aieval doctor takes a profile as run does, typed or from the user config', async () => {
  const { place } = await at({ respond: () => answer('never') }, { profiles: { ci: { models: { fast: { price: 'free' } } } } });
  const manifestLine = async (...args: string[]) =>
    linesOf((await place.aieval('doctor', 'manifest.json', ...args)).stdout, 'manifest', 'prices');
  expect((await manifestLine('--profile', 'ci')).join('\n')).toMatch(/ with profile ci: 1 task, 1 model\n.* fast free$/);
  const [wrong = ''] = await manifestLine('--profile', 'ic');
  expect(wrong).toContain('--profile asks for profile "ic": it is not in profiles (ci).');
  place.write('.env', 'AIEVAL_PROFILE=ci\n');
  expect((await manifestLine())[0]).toContain(' with profile ci: ');
});

describe('aieval doctor --online', () => {
  test('says what context the server tells of a model, and warns where the manifest believes in more or says nothing', async () => {
    const models = { data: [{ id: 'fast', max_model_len: 8192 }] };
    const online = async (contextTokens: number | null) => {
      const fast = { provider: 'lab', model: 'fast', price: 'free', ...(contextTokens === null ? {} : { contextTokens }) };
      const { place } = await at({ respond: () => answer('{', USAGE), models: status(200, models) }, { models: { fast } });
      const { exitCode, stdout } = await place.aieval('doctor', '--online');
      expect(exitCode).toBe(0);
      return stdout.slice(stdout.indexOf('model fast')).replace(/ +/g, ' ');
    };
    expect(await online(8000)).toMatch(/, takes 8192 tokens\n\n/);
    const next = ' next: state "contextTokens": 8192 in models.fast in the manifest\n';
    expect(await online(400_000)).toContain(`, takes 8192 tokens: contextTokens = 400000 is more\n${next}`);
    expect(await online(null)).toContain(`, takes 8192 tokens: contextTokens is not stated\n${next}`);
  });

  test('asks each model for one token, tells its time, form and cost, and stores nothing', async () => {
    const { place, server } = await at({ respond: () => answer('{', USAGE), models: ['fast'] });
    const { exitCode, stdout } = await place.aieval('doctor', '--online');
    expect(exitCode).toBe(0);
    const [endpoint = '', model = ''] = linesOf(stdout, 'endpoint', 'model');
    expect(endpoint).toBe(`✓ endpoint lab  ${server.baseUrl} answers`);
    expect(model).toMatch(/^✓ model fast {4}(first token after \S+ \S+|answers), takes a JSON schema, 1 call, /);
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]?.body).toMatchObject({ model: 'fast' });
    expect(JSON.stringify(server.requests[0]?.body)).toMatch(/"max(?:_completion)?_tokens":1\b/);
    expect((await place.aieval('status')).stderr).toContain('E30');
  });

  test('a server that refuses the schema is asked in a lesser form, and that is said', async () => {
    const { place, server } = await at({
      respond: ({ body }) =>
        JSON.stringify(body).includes('json_schema')
          ? apiError(400, { message: "'response_format' of type 'json_schema' is not supported", param: 'response_format' })
          : answer('{', USAGE),
    });
    const { exitCode, stdout } = await place.aieval('doctor', '--online');
    expect(exitCode).toBe(0);
    expect(stdout).toContain('takes JSON mode, no schema, 2 calls');
    expect(server.requests).toHaveLength(2);
  });

  test('what is refused is typed, with what helps, and exits 4; as JSON, too', async () => {
    const { place } = await at({ respond: () => apiError(401, { message: 'no', code: 'invalid_api_key' }) });
    const { exitCode, stdout } = await place.aieval('doctor', '--online', '--json');
    expect(exitCode).toBe(4);
    expect(JSON.parse(stdout).checks.at(-1)).toEqual({
      check: 'model fast',
      status: 'problem',
      message: expect.stringMatching(/^auth: .* answered 401 invalid_api_key: no$/),
      next: ['put a valid key into LAB_KEY'],
    });
  });

  test('with a budget of 0 no call is made', async () => {
    const models = {
      fast: { provider: 'lab', model: 'fast', price: { inputPerMTok: 1, outputPerMTok: 2 }, params: { maxOutputTokens: 9 } },
    };
    const { place, server } = await at({ respond: () => answer('never'), models: ['fast'] }, { models, budget: { usd: 0 } });
    const { stdout } = await place.aieval('doctor', 'manifest.json', '--online');
    expect(stdout).toContain('not asked, because budget.usd is 0');
    expect(server.requests).toHaveLength(0);
  });
});

describe('a server that does not answer', () => {
  const price = { inputPerMTok: 1, outputPerMTok: 2 };
  const modelOf = (id: string) => ({ provider: 'lab', model: id, price, params: { maxOutputTokens: 9 } });
  const models = Object.fromEntries(['a', 'b', 'c', 'd'].map((id) => [id, modelOf(id)]));

  test('is given up after the first models that it kept waiting, asked at once as far as the limits allow; each check is told when it is known', async () => {
    const { place, server } = await at({ respond: () => hang(), models: ['a', 'b', 'c', 'd'] }, { models, concurrency: 2 });
    const io = fakeIo({ cwd: place.dir, env: { LAB_KEY: KEY } });
    const { manifest } = await readManifest(io, 'manifest.json', {});
    const told: string[] = [];
    const onCheck = ({ check }: { check: string }) => told.push(check);
    const options = { allowHosts: [], without: new Set<string>(), onCheck, onWait: (text: string) => told.push(text), limitMs: 2000 };
    const found = await inspectOnline(io, manifest, options);
    expect(found.map(({ check, status, message }) => `${check} ${status}: ${message}`)).toEqual([
      `endpoint lab ok: ${server.baseUrl} answers`,
      'model a problem: a did not answer within 2 s',
      'model b problem: b did not answer within 2 s',
      'model c warning: not asked, because another model of this endpoint did not answer',
      'model d warning: not asked, because another model of this endpoint did not answer',
    ]);
    expect(told.slice(0, 2)).toEqual(['asking 1 endpoint and 4 models: each answers within 2 s, or is given up', 'endpoint lab']);
    expect(told).toHaveLength(6);
  });
});
