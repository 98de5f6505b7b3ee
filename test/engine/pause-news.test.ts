import { describe, expect, test } from 'vitest';
import type { Failure } from '../../src/domain/reason.ts';
import { type PauseCaused, PauseNews } from '../../src/engine/pause-news.ts';
import type { Paused } from '../../src/store/work.ts';
import { ASKING } from './asking.ts';

const NOW = 1_000_000;
const REFUSED: Failure = { class: 'fatal', reason: 'auth', message: 'm', status: 401 };

function news(apiKeyEnv: string | null = null): PauseNews {
  const lab = ASKING.providers.lab;
  if (lab === undefined) throw new Error('no provider');
  return new PauseNews({ ...ASKING, providers: { lab: { ...lab, apiKeyEnv } } });
}

function caused(pause: Partial<Paused> = {}, failure: Failure | null = REFUSED): PauseCaused {
  return { paused: { scope: 'account', reason: 'auth', message: 'm', untilMs: null, ...pause }, model: 'model', failure };
}

describe('a pause', () => {
  test('is told with its scope, what brought it, and what to do about it', () => {
    expect(news('LAB_KEY').of(caused(), NOW)).toEqual({
      kind: 'lane.paused',
      provider: 'lab',
      scope: 'account',
      model: null,
      failure: REFUSED,
      untilMs: null,
      fix: 'put a valid key into LAB_KEY',
    });
  });

  test.each([
    ['auth', 'account', 'set providers.lab.apiKeyEnv'],
    ['quota', 'account', 'add credit'],
    ['wrong_url', 'account', 'correct providers.lab.baseUrl, or start the server'],
    ['model_unknown', 'model', 'correct models.model'],
    ['unsupported', 'model', 'correct models.model'],
  ] as const)('for %s of the %s says how it is mended', (reason, scope, fix) => {
    const model = scope === 'model' ? 'model' : null;
    expect(news().of(caused({ reason, scope }), NOW)).toMatchObject({ scope, model, fix });
  });

  test.each([
    ['a server named that answered 503', { class: 'transient', reason: 'server_error', message: 'busy', status: 503 }],
    ['the headers of an answer named', null],
  ] as const)('until a time that %s says what paused it, and that time', (_, failure) => {
    const pause = { scope: 'lane', reason: 'rate_limited', message: 'come back later', untilMs: NOW + 172_800_000 } as const;
    expect(news().of(caused(pause, failure), NOW)).toMatchObject({
      scope: 'lane',
      model: null,
      failure: { reason: 'rate_limited', message: 'come back later' },
      untilMs: NOW + 172_800_000,
      fix: null,
    });
  });

  test('is told once for calls that were refused together, and again later', () => {
    const told = news();
    expect(told.of(caused(), NOW)).not.toBeNull();
    expect(told.of(caused(), NOW + 1)).toBeNull();
    expect(told.of(caused({ reason: 'quota' }), NOW + 1)).not.toBeNull();
    expect(told.of(caused(), NOW + 10_000)).not.toBeNull();
  });
});
