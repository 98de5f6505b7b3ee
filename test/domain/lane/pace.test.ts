import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CallSeen, LaneLimits, LanePace, LaneState } from '../../../src/domain/lane/lane.ts';
import {
  afterCall,
  afterGrant,
  afterRelease,
  afterSent,
  laneBlock,
  NEW_PACE,
  paceFrom,
  tokensBlock,
  tokensOf,
} from '../../../src/domain/lane/pace.ts';
import type { Failure } from '../../../src/domain/reason.ts';

const NOW = 1_800_000_000_000;
const LIMITS: LaneLimits = {
  concurrency: 100,
  requestsPerMinute: null,
  tokensPerMinute: null,
  tokenAccounting: 'reserved',
  adaptive: true,
};
const ESTIMATE = { inputTokens: 1000, maxInputTokens: 2000, maxOutputTokens: 500 };
const REFUSED: Failure = { class: 'rate', reason: 'rate_limited', message: 'slow down' };
const USAGE = { uncachedInput: 1000, cacheRead: 200, cacheWrite: 0, output: 300, reasoning: 0 };
const BY = { maxWaitMs: 120_000, random: 0 };

function lane(changes: Partial<Omit<LaneState, 'limits'>> = {}, limits: Partial<LaneLimits> = {}): LaneState {
  return { id: 'lane', running: 0, pause: null, pace: NEW_PACE, ...changes, limits: { ...LIMITS, ...limits } };
}

function seen(changes: Partial<CallSeen> = {}): CallSeen {
  return {
    grantedAtMs: NOW - 1000,
    grantedTokens: 1500,
    estimate: ESTIMATE,
    model: 'fast',
    key: 'key',
    running: 4,
    failure: null,
    usage: null,
    timing: { latencyMs: 900, firstTokenMs: null },
    rates: null,
    ...changes,
  };
}

function withPace(changes: Partial<LanePace>): LanePace {
  return { ...NEW_PACE, ...changes };
}

describe('laneBlock', () => {
  const rested = withPace({ refusals: { count: 1, episodeAtMs: NOW, lastAtMs: NOW, restUntilMs: NOW + 5000 } });
  const broken = withPace({ breaker: { failures: 5, failedKeys: ['a', 'b'], openings: 1, probeAtMs: NOW + 700, probedAtMs: null } });
  const empty = withPace({ requests: { ...NEW_PACE.requests, level: 0, atMs: NOW } });
  const pause = { reason: 'quota', message: 'no credit', untilMs: null } as const;

  it.each([
    ['a paused lane waits for a person', lane({ pause, pace: rested }), 'lane_paused', null],
    ['a paused lane with a time waits for it', lane({ pause: { ...pause, untilMs: NOW + 9 } }), 'lane_paused', NOW + 9],
    ['a refused lane rests', lane({ pace: rested, running: 100 }), 'lane_cooldown', NOW + 5000],
    ['a broken lane waits for its probe', lane({ pace: broken, running: 100 }), 'lane_breaker', NOW + 700],
    ['a paced lane waits for its next request', lane({ pace: empty }, { requestsPerMinute: 60 }), 'lane_requests', NOW + 1011],
  ])('%s', (_, state, blockedBy, untilMs) => {
    expect(laneBlock(NOW, state)).toEqual({ blockedBy, untilMs });
  });

  it('starts a new lane with four calls at once, and a full one waits for an end of these', () => {
    const full = { blockedBy: 'lane_concurrency', untilMs: null };
    expect(laneBlock(NOW, lane({ running: 4 }, { concurrency: 9 }))).toEqual({ ...full, slots: { taken: 4, of: 4, atMost: 9 } });
    const stated = lane({ running: 2, pace: empty }, { concurrency: 2, requestsPerMinute: 60 });
    expect(laneBlock(NOW, stated)).toEqual({ ...full, slots: { taken: 2, of: 2, atMost: 2 } });
  });

  it('lets a lane go on when its pause, or its rest, is over', () => {
    expect(laneBlock(NOW, lane({ pause: { ...pause, untilMs: NOW } }))).toBeNull();
    expect(laneBlock(NOW + 5000, lane({ pace: rested }))).toBeNull();
  });

  it('does not rest until a time that was stored before the clock was set back', () => {
    expect(laneBlock(NOW - 86_400_000, lane({ pace: rested }))).toBeNull();
  });

  it('asks recorded and invented answers for all that is stated', () => {
    expect(laneBlock(NOW, lane({ running: 99 }, { adaptive: false }))).toBeNull();
  });

  it('lets the calls of two seconds be in flight where the rate is known', () => {
    const paced = lane({}, { requestsPerMinute: 600 });
    expect(afterGrant(NOW, paced, 1500).concurrency.limit).toBe(20);
  });
});

describe('afterGrant', () => {
  it.each([
    ['forgets the calls at once of a lane that was idle for ten minutes', 600_001, 0, 4],
    ['keeps them before', 600_000, 0, 20],
    ['keeps them while an answer takes so long', 600_001, 1, 20],
  ])('%s', (_, idleMs, running, limit) => {
    const pace = withPace({
      requests: { ...NEW_PACE.requests, atMs: NOW - idleMs },
      concurrency: { ...NEW_PACE.concurrency, limit: 20, starting: false },
    });
    expect(afterGrant(NOW, lane({ pace, running }), 1500).concurrency.limit).toBe(limit);
  });
});

describe('the tokens of a call', () => {
  it('are its upper bound until the model is known, then what its server would count', () => {
    expect(tokensOf(NEW_PACE, 'fast', ESTIMATE)).toBe(2500);
    const known = afterCall(NOW, lane(), seen({ usage: USAGE }), BY).pace;
    expect(known.inputFactors).toEqual({ fast: 1.2 });
    expect([tokensOf(known, 'fast', ESTIMATE), tokensOf(known, 'other', ESTIMATE)]).toEqual([1700, 2500]);
    const moved = afterCall(NOW, lane({ pace: known }), seen({ usage: { ...USAGE, uncachedInput: 800 } }), BY).pace;
    expect(moved.inputFactors.fast).toBeCloseTo(1.16);
  });

  it('teach nothing when they are few or absurd', () => {
    const few = seen({ usage: USAGE, estimate: { ...ESTIMATE, inputTokens: 49 } });
    const absurd = seen({ usage: { ...USAGE, uncachedInput: 6000 } });
    expect([few, absurd].map((call) => afterCall(NOW, lane(), call, BY).pace.inputFactors)).toEqual([{}, {}]);
  });

  it('are remembered for the fifty models that were used last', () => {
    const used = (models: readonly string[]) =>
      models.reduce((pace, model) => afterCall(NOW, lane({ pace }), seen({ usage: USAGE, model }), BY).pace, NEW_PACE).inputFactors;
    const many = Array.from({ length: 60 }, (_, index) => `model-${index}`);
    expect(Object.keys(used([...many.slice(0, 50), 'model-0', ...many.slice(50)]))).toEqual([
      ...many.slice(11, 50),
      'model-0',
      ...many.slice(50),
    ]);
  });

  it.each([
    ['a million million', { ...USAGE, uncachedInput: 1e12 }],
    ['a million million in the answer', { ...USAGE, output: 1e12 }],
    ['hardly any', { ...USAGE, uncachedInput: 0, cacheRead: 100 }],
  ])('are not trued up by an absurd count: %s', (_, usage) => {
    for (const tokenAccounting of ['reserved', 'actual'] as const) {
      const pace = withPace({ tokens: { ...NEW_PACE.tokens, level: -1000, atMs: NOW } });
      const state = lane({ pace }, { tokensPerMinute: 600_000, tokenAccounting });
      expect(afterCall(NOW, state, seen({ usage }), BY).pace.tokens.level).toBe(-1000);
    }
  });

  it('teach nothing when the server cut the prompt', () => {
    const failure = { class: 'permanent', reason: 'input_truncated', message: 'cut' } as const;
    expect(afterCall(NOW, lane(), seen({ usage: USAGE, failure }), BY).pace.inputFactors).toEqual({});
  });

  it.each([
    ['are trued up by what the input was', 'reserved', 1500, -200],
    ['give back what was not answered where that counts', 'actual', 1500, 0],
    ['are not given back when they were an upper bound', 'reserved', 2500, 0],
  ] as const)('%s', (_, tokenAccounting, grantedTokens, change) => {
    const pace = withPace({ tokens: { ...NEW_PACE.tokens, level: -1000, atMs: NOW } });
    const state = lane({ pace }, { tokensPerMinute: 600_000, tokenAccounting });
    expect(afterCall(NOW, state, seen({ usage: USAGE, grantedTokens }), BY).pace.tokens.level).toBe(-1000 + change);
  });

  it('wait for the level, and come back when the call never left', () => {
    const state = lane({}, { tokensPerMinute: 60_000 });
    const granted = afterGrant(NOW, state, 1500);
    expect(tokensBlock(NOW, state, 1500)).toBeNull();
    expect(tokensBlock(NOW, lane({ pace: granted }, { tokensPerMinute: 60_000 }), 500)?.blockedBy).toBe('lane_tokens');
    const back = afterRelease(NOW, lane({ pace: granted }, { tokensPerMinute: 60_000 }), { grantedAtMs: NOW, tokens: 1500 });
    expect(tokensBlock(NOW, lane({ pace: back }, { tokensPerMinute: 60_000 }), 500)).toBeNull();
  });
});

describe('afterSent', () => {
  it('remembers the least lag and forgets it slowly', () => {
    const first = afterSent(NOW + 20, lane(), { grantedAtMs: NOW, tokens: 1 });
    const second = afterSent(NOW + 10, lane({ pace: first }), { grantedAtMs: NOW, tokens: 1 });
    const third = afterSent(NOW + 110, lane({ pace: second }), { grantedAtMs: NOW, tokens: 1 });
    expect([first.sendLagMs, second.sendLagMs]).toEqual([20, 10]);
    expect(third.sendLagMs).toBeCloseTo(10.2);
    expect(afterSent(NOW - 5, lane(), { grantedAtMs: NOW, tokens: 1 }).sendLagMs).toBe(0);
  });
});

describe('afterCall', () => {
  it('sees that the server keeps prompts', () => {
    expect(afterCall(NOW, lane(), seen({ usage: USAGE }), BY).pace.cachesPrompts).toBe(true);
    expect(afterCall(NOW, lane(), seen({ usage: { ...USAGE, cacheRead: 0 } }), BY).pace.cachesPrompts).toBe(false);
  });

  it.each([
    ['requests', true, false],
    ['tokens', false, true],
    [undefined, true, false],
    ['concurrency', false, false],
  ] as const)('cuts the rate that a refusal names: %s', (limited, requests, tokens) => {
    let { pace } = lane();
    for (let call = 0; call < 40; call++) {
      pace = afterGrant(NOW + call * 50, lane({ pace }), 1500);
      pace = afterSent(NOW + call * 50, lane({ pace }), { grantedAtMs: NOW + call * 50, tokens: 1500 });
    }
    const failure = { ...REFUSED, ...(limited === undefined ? {} : { limited }) };
    const after = afterCall(NOW + 2000, lane({ pace }), seen({ failure, grantedAtMs: NOW + 1950 }), BY).pace;
    expect([after.requests.found !== null, after.tokens.found !== null]).toEqual([requests, tokens]);
    if (requests) expect(after.requests.found?.perMinute).toBeCloseTo(0.7 * 39 * 30);
    expect(after.concurrency.limit).toBe(2);
  });

  it('goes on with the calls under way where the server counts them, and rests when there is none', () => {
    const failure: Failure = { ...REFUSED, limited: 'concurrency', retryAfterMs: 1000 };
    const rests = [4, 1].map(
      (running) => afterCall(NOW, lane({ running }), seen({ failure, running }), BY).pace.refusals.restUntilMs > NOW,
    );
    expect(rests).toEqual([false, true]);
  });

  it('cuts once for all calls that are refused together', () => {
    let pace = withPace({ concurrency: { ...NEW_PACE.concurrency, limit: 32 } });
    for (let running = 32; running > 0; running--) {
      pace = afterCall(NOW + 32 - running, lane({ pace, running }), seen({ failure: REFUSED, running }), BY).pace;
    }
    expect(pace.concurrency.limit).toBe(22);
    expect(pace.refusals.count).toBe(1);
  });

  it('reaches one call at once under refusals without end, and grows again after them', () => {
    let pace = withPace({ concurrency: { ...NEW_PACE.concurrency, limit: 32 } });
    let nowMs = NOW;
    const end = (failure: Failure | null) => {
      nowMs += 1000;
      const running = Math.floor(pace.concurrency.limit);
      pace = afterCall(nowMs, lane({ pace }), seen({ failure, running, grantedAtMs: nowMs - 10 }), { ...BY, maxWaitMs: 1e9 }).pace;
      return pace.concurrency.limit;
    };
    const falling = Array.from({ length: 12 }, () => end(REFUSED));
    expect(falling).toEqual([22, 15, 10, 7, 4, 2, 1, 1, 1, 1, 1, 1]);
    for (let call = 0; call < 200; call++) end(null);
    expect(pace.concurrency.limit).toBeGreaterThan(12);
  });

  it('pauses a lane whose server names a time beyond what anybody waits for', () => {
    const failure = { ...REFUSED, retryAfterMs: 172_800_000 };
    const { pace, pause } = afterCall(NOW, lane(), seen({ failure }), BY);
    expect(pause).toEqual({ reason: 'rate_limited', message: 'slow down', untilMs: NOW + 172_800_000 });
    expect(laneBlock(NOW, lane({ pace }))).toBeNull();
  });

  it('pauses a lane whose headers say that nothing remains for a day', () => {
    const rates = { requests: { limitPerMinute: 1000, remaining: 0, resetMs: 7_200_000 }, tokens: null };
    expect(afterCall(NOW, lane(), seen({ rates }), BY).pause).toMatchObject({ reason: 'rate_limited', untilMs: NOW - 1000 + 7_200_000 });
  });

  it('pauses a lane that was refused for longer than anybody waits, unless it answered meanwhile', () => {
    const first = afterCall(NOW, lane(), seen({ failure: REFUSED }), BY).pace;
    const later = NOW + 121_000;
    const again = { failure: REFUSED, grantedAtMs: later - 10 };
    const { pace, pause } = afterCall(later, lane({ pace: first }), seen(again), BY);
    expect(pause).toEqual({ reason: 'rate_limited', message: 'no answer for 121 s: slow down', untilMs: later + 600_000 });
    expect(afterCall(later + 1000, lane({ pace }), seen({ ...again, grantedAtMs: later + 900 }), BY).pause).toBeNull();
    const answered = afterCall(NOW + 60_000, lane({ pace: first }), seen(), BY).pace;
    expect(afterCall(later, lane({ pace: answered }), seen(again), BY).pause).toBeNull();
  });
});

describe('paceFrom', () => {
  it('completes what an older version stored', () => {
    expect(paceFrom({})).toEqual(NEW_PACE);
    expect(paceFrom({ cachesPrompts: true }).cachesPrompts).toBe(true);
    expect(paceFrom(JSON.parse('{"requests":{"level":3,"told":{"perMinute":60}},"concurrency":{"limit":9,"round":{"done":2}}}'))).toEqual({
      ...NEW_PACE,
      requests: { ...NEW_PACE.requests, level: 3, told: { perMinute: 60, capacity: null, silent: 0 } },
      concurrency: { ...NEW_PACE.concurrency, limit: 9, round: { ...NEW_PACE.concurrency.round, done: 2 } },
    });
  });

  it('comes back the same from JSON, whatever happened', () => {
    const failures = fc.constantFrom(null, REFUSED, { ...REFUSED, class: 'transient', reason: 'timeout' } satisfies Failure);
    fc.assert(
      fc.property(fc.array(fc.record({ failure: failures, afterMs: fc.integer({ min: -5000, max: 90_000 }) })), (calls) => {
        let [pace, nowMs] = [NEW_PACE, NOW];
        for (const { failure, afterMs } of calls) {
          const state = () => lane({ pace, running: 1 }, { requestsPerMinute: 600 });
          pace = afterGrant(nowMs, state(), 1500);
          pace = afterSent(nowMs + 5, state(), { grantedAtMs: nowMs, tokens: 1500 });
          pace = afterCall(
            nowMs + afterMs,
            state(),
            seen({ failure, grantedAtMs: nowMs, usage: failure === null ? USAGE : null }),
            BY,
          ).pace;
          nowMs += afterMs;
        }
        expect(paceFrom(JSON.parse(JSON.stringify(pace)))).toEqual(pace);
      }),
    );
  });
});
