import { describe, expect, test } from 'vitest';
import { stopText } from '../../../src/cli/display/stop-text.ts';
import type { RunRow, RunTotals, Waiting } from '../../../src/store/rows.ts';
import { SAMPLE_USE, STARTED_MS, sampleRun, sampleTotals } from '../sample-run.ts';
import { DANGEROUS, HOSTILE } from './sample-events.ts';

const DAY_MS = 86_400_000;
const CWD = '/home/ann/spec';

function waiting(change: Partial<Waiting>): Waiting {
  return { why: 'lane_paused', laneId: 'lane-1', lane: 'lab', count: 12, untilMs: null, message: null, ...change };
}

function stopped(change: Partial<Waiting>, of: { run?: RunRow; totals?: Partial<RunTotals>; openNanoUsd?: number | null } = {}) {
  const { run = sampleRun(), openNanoUsd = null } = of;
  const totals = sampleTotals({ budget: SAMPLE_USE, ...of.totals });
  return stopText({ run, totals, waiting: [waiting(change)], openNanoUsd, nowMs: STARTED_MS, cwd: CWD });
}

describe('why a run stopped', () => {
  test('at its budget: how much of it is used, and an amount that does for all that is open', () => {
    const budget = { ...SAMPLE_USE, nanoUsd: 2_990_000_000 };
    expect(stopped({ why: 'budget_usd' }, { totals: { budget }, openNanoUsd: 1_300_000_000 })).toEqual({
      text: 'stopped: budget reached ($2.99 of $3.00), 12 jobs left',
      next: ['aieval run manifest.json --max-cost 4.3'],
    });
    expect(stopped({ why: 'budget_usd' }, { totals: { budget } })?.next).toEqual(['aieval run manifest.json --max-cost 6']);
  });

  test('at a bound of which something is left: the call that does not fit, what is left, and who stated the bound', () => {
    const budget = { ...SAMPLE_USE, budget: { ...SAMPLE_USE.budget, nanoUsd: 600_000_000 }, nanoUsd: 20_000_000 };
    const nextCall = { model: 'mini', nanoUsd: 680_000_000 };
    const text = (run: RunRow) =>
      stopText({
        ...{ run, nextCall, totals: sampleTotals({ budget }), waiting: [waiting({ why: 'budget_usd' })] },
        ...{ openNanoUsd: null, nowMs: STARTED_MS, cwd: CWD },
      })?.text;
    const plain = 'stopped: budget: the next call (mini, at most $0.68) does not fit the $0.58 that is left of $0.60';
    expect(text(sampleRun())).toBe(`${plain}, 12 jobs left`);
    const { manifest } = sampleRun();
    const ofStart = { usd: 0.6, tokens: null, minutes: null, warnAt: 0.8, group: null, ofStart: true } as const;
    expect(text(sampleRun({ manifest: { ...manifest, budget: ofStart } }))).toBe(`${plain} of --max-cost, 12 jobs left`);
  });

  test('a run that takes no answers of others is continued in the same way', () => {
    const run = sampleRun({ settings: { ...sampleRun().settings, cacheMode: 'off' } });
    expect(stopped({ why: 'budget_usd' }, { run, openNanoUsd: 3_000_000_000 })?.next).toEqual([
      'aieval run manifest.json --no-cache --max-cost 3.8',
    ]);
  });

  test('what uncertain calls hold back may be booked first', () => {
    const cost = { ...sampleTotals().cost, uncertainNanoUsd: 1 };
    expect(stopped({ why: 'budget_usd' }, { totals: { cost } })?.next).toContain('aieval budget settle-unknown r-8kq2aaaa --at expected');
  });

  test.each([
    ['budget_tokens', '2.23M of 5.00M tokens', ['raise budget.tokens, then: aieval run manifest.json']],
    [
      'budget_group',
      '$4.20 of $10.00 of group team this month',
      ['raise budget.group.usd, then: aieval run manifest.json', 'aieval budget reset team'],
    ],
  ] as const)('%s names its own bound and what raises it', (why, used, next) => {
    expect(stopped({ why })).toEqual({ text: `stopped: budget reached (${used}), 12 jobs left`, next });
  });

  test('after too many failures', () => {
    const run = sampleRun({ settings: { ...sampleRun().settings, failFast: { afterFailures: 2 } } });
    expect(stopped({ why: 'fail_fast', message: '4 jobs could not be evaluated' }, { run })).toEqual({
      text: 'stopped: failFast (afterFailures = 2): 4 jobs could not be evaluated since this start, 12 jobs left',
      next: ['mend the cause, then: aieval run manifest.json'],
    });
  });

  test('for a provider that asks to wait: until when, and how to stay', () => {
    const stop = stopped({ untilMs: STARTED_MS + 2 * DAY_MS, message: '429 slow down' });
    expect(stop?.text).toMatch(/^stopped: lab asks to wait until Tue \d\d:\d\d \(in 2 days\): 429 slow down, 12 jobs left$/);
    expect(stop?.next).toEqual([
      expect.stringMatching(/^after Tue \d\d:\d\d: aieval run manifest\.json$/),
      'aieval run manifest.json --wait',
    ]);
  });

  test('for limits that are stated, or for the next try: nobody asked to wait', () => {
    const untilMs = STARTED_MS + 200_000;
    const at = String.raw`\d\d:\d\d \(in 3 min\)`;
    const [limits, told, retry, trouble] = [
      stopped({ why: 'lane_tokens', untilMs, message: 'tokensPerMinute = 450' }),
      stopped({ why: 'lane_requests', untilMs, message: 'the 300 a minute that its headers allow' }),
      stopped({ why: 'backoff', lane: null, untilMs }),
      stopped({ why: 'lane_paused', reason: 'server_error', untilMs, message: 'no answer for 130 s: 503' }),
    ].map((each) => each?.text);
    const longer = String.raw`longer than retry\.maxWaitMs = 2m00s, 12 jobs left$`;
    expect(limits).toMatch(new RegExp(`^stopped: the next call to lab must wait until ${at} for tokensPerMinute = 450, ${longer}`));
    expect(told).toMatch(new RegExp(`for the 300 a minute that its headers allow, ${longer}`));
    expect(retry).toMatch(new RegExp(`^stopped: the next try must wait until ${at}, ${longer}`));
    expect(trouble).toMatch(new RegExp(`^stopped: lab is paused until ${at}: no answer for 130 s: 503, 12 jobs left$`));
  });

  test('for a key that is refused: until a person acts', () => {
    expect(stopped({ message: '401 invalid_api_key' })).toEqual({
      text: 'stopped: lab is paused: 401 invalid_api_key, 12 jobs left',
      next: ['mend the cause, then: aieval run manifest.json'],
    });
  });

  test('a run that lost its identity goes on with a worker, which takes no new budget', () => {
    const run = sampleRun({ holdsIdentity: false });
    expect(stopped({ untilMs: STARTED_MS + DAY_MS }, { run })?.next).toEqual([
      expect.stringMatching(/^after Mon \d\d:\d\d: aieval worker r-8kq2aaaa$/),
    ]);
    expect(stopped({ why: 'budget_usd' }, { run })?.next).toEqual([]);
  });

  test('on a machine without the manifest: a worker, what opens its provider, or where the manifest is', () => {
    const run = { ...sampleRun(), manifestHere: false };
    const there = '(on the machine that has this file)';
    const [worker, path] = ['aieval worker r-8kq2aaaa', '/home/ann/spec/manifest.json'];
    const next = (change: Partial<Waiting>) => stopped(change, { run })?.next;
    expect(next({ message: '401' })).toEqual([`mend the cause, then: aieval resume r-8kq2aaaa && ${worker}`]);
    expect(next({ untilMs: STARTED_MS + DAY_MS })).toEqual([expect.stringMatching(new RegExp(`^after .*: ${worker}$`))]);
    expect(next({ why: 'fail_fast' })).toEqual(['mend the cause, then: aieval retry r-8kq2aaaa']);
    expect(next({ why: 'budget_tokens' })).toEqual([`raise budget.tokens, then: aieval run ${path} ${there}`]);
    expect(next({ why: 'budget_usd' })).toEqual([expect.stringMatching(/^aieval run \/home\/ann\/.* --max-cost [\d.]+ \(on the machine/)]);
  });

  test('the budget is named before anything else that stopped it, and nothing where nothing did', () => {
    const both = [waiting({ count: 100 }), waiting({ why: 'budget_tokens', count: 1 })];
    const input = { run: sampleRun(), totals: sampleTotals({ budget: SAMPLE_USE }), openNanoUsd: null, nowMs: STARTED_MS, cwd: CWD };
    expect(stopText({ ...input, waiting: both })?.text).toContain('budget reached');
    expect(stopText({ ...input, waiting: [] })).toBeNull();
  });

  test('what a server said stays on its line and has no escapes', () => {
    for (const change of [
      { message: HOSTILE, lane: HOSTILE },
      { message: HOSTILE, untilMs: STARTED_MS + DAY_MS },
    ]) {
      expect(stopped(change)?.text).not.toMatch(DANGEROUS);
      expect(stopped(change)?.text).not.toContain('\n');
    }
  });
});
