import { expect, test } from 'vitest';
import { status } from '../../providers/scripted-server.ts';
import { afterwards, atWork, placeFor, runIn } from './at-work.ts';
import { free, good, startProvider } from './scriptable-provider.ts';

const SECRETS = {
  OPENAI_API_KEY: 'opensesame-vendor-1',
  GITHUB_TOKEN: 'opensesame-code-host-2',
  AWS_SECRET_ACCESS_KEY: 'opensesame-cloud-3',
};

test.each(Object.keys(SECRETS))('%s reaches no server that a manifest names: not as its key, not as a header', async (name) => {
  const stranger = await startProvider({ respond: good, models: ['small'] });
  afterwards(stranger.close);
  const tricks = [{ apiKeyEnv: name, identity: 'https://api.openai.com/v1' }, { headers: { 'x-lane': `\${${name}}` } }];
  for (const provider of tricks) {
    const place = placeFor(stranger.baseUrl, { provider, model: { group: 'api.openai.com' }, env: SECRETS });
    const { exitCode, stderr } = await runIn(place);
    expect([2, 4]).toContain(exitCode);
    expect(stderr).toContain(name);
  }
  expect([stranger.requests.length, stranger.modelLists()]).toEqual([0, 0]);
});

test('a redirect takes a key nowhere', async () => {
  const thief = await startProvider({ respond: good });
  afterwards(thief.close);
  const { place, provider } = await atWork(() => free(status(307, '', { location: `${thief.baseUrl}/chat/completions` })), {
    provider: { apiKeyEnv: 'LAB_KEY' },
    env: { LAB_KEY: 'opensesame-lab-4' },
  });
  expect((await runIn(place)).exitCode).toBe(4);
  expect(provider.requests).toHaveLength(1);
  expect(thief.requests).toEqual([]);
});

test('two providers of one manifest get each its own key, whatever their models are called', async () => {
  const one = await startProvider({ respond: good });
  const two = await startProvider({ respond: good });
  afterwards(one.close);
  afterwards(two.close);
  const place = placeFor(one.baseUrl, {
    documents: 3,
    env: { ONE_KEY: 'opensesame-one', TWO_KEY: 'opensesame-two' },
    manifest: {
      providers: {
        one: { type: 'openai', baseUrl: one.baseUrl, apiKeyEnv: 'ONE_KEY' },
        two: { type: 'openai', baseUrl: two.baseUrl, apiKeyEnv: 'TWO_KEY' },
      },
      models: {
        a: { provider: 'one', model: 'same', group: 'g', price: 'free' },
        b: { provider: 'two', model: 'same', group: 'g', price: 'free' },
      },
    },
  });
  expect((await runIn(place)).exitCode).toBe(0);
  const keys = (server: typeof one): unknown[] => [...new Set(server.requests.map(({ headers }) => headers.authorization))];
  expect(keys(one)).toEqual(['Bearer opensesame-one']);
  expect(keys(two)).toEqual(['Bearer opensesame-two']);
});
