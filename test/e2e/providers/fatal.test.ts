import { describe, expect, test } from 'vitest';
import { apiError, html, type Scenario, status } from '../../providers/scripted-server.ts';
import { hereJson } from '../here.ts';
import { afterwards, atWork, placeFor, processIn, runIn, summaryIn } from './at-work.ts';
import { attempts, expectBooksToAgree } from './ledger.ts';
import { type Asked, free, good, type Reply, startProvider } from './scriptable-provider.ts';

const JOBS = 5;
const KEY = 'opensesame-0123456789';

const NO_KEY = apiError(401, { message: 'Incorrect API key provided', code: 'invalid_api_key' });
const NO_QUOTA = apiError(429, { message: 'You exceeded your current quota', type: 'insufficient_quota', code: 'insufficient_quota' });
const NO_CREDIT = apiError(429, { message: 'Credits are used up', code: 'credit_balance_exhausted' }, { 'retry-after': '3' });
const NOT_PAID = apiError(402, { message: 'Insufficient credits', code: 402 });
const LOGIN = html(200, '<html><body>Sign in</body></html>');
const NO_PATH = apiError(404, { message: 'File Not Found', type: 'not_found_error', code: 404 });
const NO_ACCESS = apiError(403, { message: 'Project does not have access', code: 'permission_denied' });

describe.each<[string, Scenario, string]>([
  ['a refused key', NO_KEY, 'auth'],
  ['a key without the right', NO_ACCESS, 'auth'],
  ['a used up quota (inspect_ai#5340)', NO_QUOTA, 'quota'],
  ['a used up credit (promptfoo#10855)', NO_CREDIT, 'quota'],
  ['an unpaid bill', NOT_PAID, 'quota'],
  ["a login page for the API's address", LOGIN, 'wrong_url'],
  ['a path that is not there', NO_PATH, 'wrong_url'],
])('%s', (_, refusal, reason) => {
  test('stops everything after one request: all jobs stay queued, their attempts unspent; exit 4 says what to do', async () => {
    const { place, provider } = await atWork(() => free(refusal), {
      documents: JOBS,
      env: { LAB_KEY: KEY },
      provider: { apiKeyEnv: 'LAB_KEY' },
      limits: { concurrency: 1 },
    });
    const { exitCode, stderr, stdout, record } = await runIn(place);
    expect({ exitCode, record }).toMatchObject({ exitCode: 4, record: { jobs: { queued: JOBS, failed: 0 } } });
    expect(provider.requests).toHaveLength(1);
    expect(attempts(place)).toMatchObject([{ outcome: 'failed', counted: 0, class: 'fatal', reason }]);
    expect(stderr + stdout).toMatch(/put a valid key into LAB_KEY|add credit|correct providers\.lab\.baseUrl/);
    expect(stderr + stdout).not.toContain(KEY);
    const { waiting } = await hereJson(place, 'status');
    expect(waiting).toMatchObject([{ why: 'lane_paused', count: JOBS }]);
    expect(await summaryIn(place)).not.toContain(KEY);
    await expectBooksToAgree(place, provider);
  });
});

test('after an answer the same ends with 3, and `run` goes on where it stopped', async () => {
  let refused = true;
  const respond = (asked: Asked): Reply => (asked.n > 1 && refused ? free(NO_QUOTA) : good(asked));
  const { place, provider } = await atWork(respond, { documents: JOBS, limits: { concurrency: 1 } });
  const first = await runIn(place);
  expect(first).toMatchObject({ exitCode: 3, record: { jobs: { succeeded: 1, queued: JOBS - 1 } } });
  expect(provider.requests).toHaveLength(2);
  refused = false;
  expect(await runIn(place)).toMatchObject({ exitCode: 0, record: { jobs: { succeeded: JOBS } } });
  expect(provider.requests).toHaveLength(JOBS + 1);
  await expectBooksToAgree(place, provider);
});

const MODELS = { provider: 'lab', price: 'free', params: { maxOutputTokens: 100 } };

test('an unknown model pauses that model alone; another one of the same provider goes on', async () => {
  const unknown = apiError(404, { message: 'The model `gone` does not exist', code: 'model_not_found' });
  const { place, provider } = await atWork(
    { respond: (asked) => (asked.model === 'gone' ? free(unknown) : good(asked)), price: { input: 0, cached: 0, output: 0 } },
    {
      documents: JOBS,
      limits: { concurrency: 1 },
      manifest: { models: { gone: { ...MODELS, model: 'gone' }, small: { ...MODELS, model: 'small' } } },
    },
  );
  const { exitCode, record } = await runIn(place);
  expect({ exitCode, record }).toMatchObject({ exitCode: 3, record: { jobs: { succeeded: JOBS, queued: JOBS } } });
  expect(provider.served.filter(({ model }) => model === 'gone')).toHaveLength(1);
  expect(provider.served.filter(({ model }) => model === 'small')).toHaveLength(JOBS);
  expect(attempts(place).filter(({ reason, counted }) => reason === 'model_unknown' && counted === 1)).toEqual([]);
  const { waiting } = await hereJson(place, 'status');
  expect(waiting).toMatchObject([{ why: 'model_paused', count: JOBS }]);
  await expectBooksToAgree(place, provider);
});

test('a refused key stops both groups of its provider, and no other provider', async () => {
  const other = await startProvider({ respond: good });
  afterwards(other.close);
  const { place, provider } = await atWork(() => free(NO_KEY), {
    documents: JOBS,
    limits: { concurrency: 1 },
  });
  const providers = {
    lab: { type: 'openai', baseUrl: provider.baseUrl, limits: { concurrency: 1 } },
    other: { type: 'openai', baseUrl: other.baseUrl },
  };
  const models = {
    one: { ...MODELS, model: 'one', group: 'a' },
    two: { ...MODELS, model: 'two', group: 'b' },
    three: { ...MODELS, provider: 'other', model: 'three' },
  };
  place.write('manifest.json', JSON.stringify({ ...JSON.parse(place.read('manifest.json')), providers, models }));
  const { exitCode, record } = await runIn(place);
  expect({ exitCode, record }).toMatchObject({ exitCode: 3, record: { jobs: { succeeded: JOBS, queued: 2 * JOBS } } });
  expect(other.requests).toHaveLength(JOBS);
  expect(provider.requests.length).toBeLessThanOrEqual(2);
});

test('a model that the server does not list is found before anything is spent', async () => {
  const { place, provider } = await atWork({ respond: good, models: ['smaller', 'large'] }, { documents: JOBS });
  const { exitCode, stderr } = await runIn(place);
  expect(exitCode).toBe(4);
  expect(stderr).toContain('smaller');
  expect(provider.requests).toEqual([]);
});

test('a server that is not there is found before anything is spent; one that goes away later is only waited for', async () => {
  const gone = await startProvider({ respond: good });
  await gone.close();
  const nowhere = placeFor(gone.baseUrl);
  const { exitCode, stderr } = await runIn(nowhere);
  expect(exitCode).toBe(4);
  expect(stderr).toContain('ECONNREFUSED');
});

test('a failure keeps what the vendor said: code, status and request id (inspect_ai#5340)', async () => {
  const refusal = status(429, { error: { message: 'No credit', type: 'insufficient_quota' } }, { 'x-request-id': 'req-77' });
  const { place } = await atWork(() => free(refusal));
  await processIn(place, 'run', 'manifest.json').end;
  const shown = await hereJson(place, 'show', 'docs/01.md:quotes:small');
  expect(shown).toMatchObject({
    attempts: [{ failure: { class: 'fatal', reason: 'quota', status: 429, code: 'insufficient_quota', requestId: 'req-77' } }],
  });
});
