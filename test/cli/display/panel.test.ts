import { describe, expect, test } from 'vitest';
import type { ShownModel } from '../../../src/cli/display/model-lines.ts';
import { documentsLine, panelLines } from '../../../src/cli/display/panel.ts';
import { Progress } from '../../../src/cli/display/progress.ts';
import { painter } from '../../../src/cli/terminal/style.ts';
import { columnsOf } from '../../../src/cli/terminal/width.ts';
import { STARTED_MS, sampleModel, sampleTotals } from '../sample-run.ts';
import { HOSTILE, started } from './sample-events.ts';

function progress(models: readonly ShownModel[] = [sampleModel()]): Progress {
  const made = new Progress();
  made.onEvent(started());
  made.onTotals(sampleTotals({ byModel: models }), STARTED_MS);
  return made;
}

const LOOK = { columns: 100, rows: 24, paint: painter(false), nowMs: STARTED_MS };

describe('the panel', () => {
  test('shows how far, what came of it, each model, what waits, and the cost', () => {
    expect(panelLines(progress(), LOOK)).toEqual([
      '28/40   70%  ████████████████········  ETA ?',
      'pass 20   fail 5   review 1   dlq 2   running 2   queued 10   retrying 0',
      'fast  28/40  8 cached  2 running  2 dlq  $0.67',
      'cost $0.67 spent + $0.07 reserved → $1.07 projected   tokens 2.16M in, 65k out',
      '4 waiting: the provider wants a pause, next in 5.0 s: 429 from lab',
    ]);
  });

  test('the models stand in columns, as the store gives them, and say when a price is not known', () => {
    const models = [
      sampleModel({ model: 'zeta-of-more-than-sixteen-letters', running: 12, cached: 0, error: 0 }),
      sampleModel({ model: 'alpha', running: 0, cached: 0, error: 0, queued: 38, spentNanoUsd: null }),
    ];
    expect(panelLines(progress(models), LOOK).slice(2, 4)).toEqual([
      'zeta-of-more-than-sixteen-letters  18/40  12 running          $0.67',
      'alpha                               2/40              price unknown',
    ]);
  });

  test('where it is narrow a name of a model is cut, not its numbers', () => {
    const models = [sampleModel({ model: 'a-model-of-more-than-thirty-characters' }), sampleModel({ spentNanoUsd: null })];
    expect(panelLines(progress(models), { ...LOOK, columns: 58 }).slice(2, 4)).toEqual([
      'a-model…  28/40  8 cached  2 running  2 dlq          $0.67',
      'fast      28/40  8 cached  2 running  2 dlq  price unknown',
    ]);
  });

  test('calls without a price are said beside the cost', () => {
    const made = progress();
    const { cost } = sampleTotals();
    made.onTotals(sampleTotals({ cost: { ...cost, reservedNanoUsd: 0, unpricedCalls: 3 } }), STARTED_MS);
    expect(panelLines(made, LOOK)).toContain('cost $0.67 spent + 3 unpriced calls   tokens 2.16M in, 65k out');
  });

  test('the tally moves together before it loses a part', () => {
    const whole = 'pass 20  fail 5  review 1  dlq 2  running 2  queued 10  retrying 0';
    expect(panelLines(progress(), { ...LOOK, columns: 68 })[1]).toBe(whole);
    expect(panelLines(progress(), { ...LOOK, columns: 50 })[1]).toBe('pass 20  fail 5  review 1  dlq 2  running 2');
  });

  test('a model says how often its server refused for the rate, when it takes the next call, and how long calls take', () => {
    const made = progress([
      { ...sampleModel({ rateLimited: 7, p50Ms: 1900, p95Ms: 9800, tokensPerSecond: 63.4 }), provider: 'lab' },
      { ...sampleModel({ model: 'local', cached: 0, error: 0, p50Ms: 19_000, p95Ms: 44_000 }), provider: 'hub' },
    ]);
    const waiting = [{ why: 'lane_cooldown', laneId: 'l', lane: 'lab', count: 4, untilMs: STARTED_MS + 3000, message: null }] as const;
    made.onTotals(sampleTotals({ byModel: made.models, waiting }), STARTED_MS);
    expect(panelLines(made, { ...LOOK, columns: 200 }).slice(2, 4)).toEqual([
      'fast   28/40  8 cached  2 running  429 ×7  next slot in 3.0 s  p50 1.9 s  p95 9.8 s  63 tok/s  2 dlq  $0.67',
      'local  28/40            2 running                               p50 19 s   p95 44 s                   $0.67',
    ]);
    const narrow = panelLines(made, { ...LOOK, columns: 60 });
    expect(narrow[2]).toBe('fast   28/40  8 cached  2 running  429 ×7  2 dlq  $0.67');
  });

  test('jobs in parts show how many parts are over, and jobs that wait for their next try are counted', () => {
    const made = progress([sampleModel({ parts: 18, openParts: 11 })]);
    made.onTotals(
      sampleTotals({
        byModel: made.models,
        waiting: [{ why: 'backoff', laneId: null, count: 4, untilMs: STARTED_MS, message: null }],
      }),
      STARTED_MS,
    );
    expect(panelLines(made, LOOK)[1]).toBe('pass 20   fail 5   review 1   dlq 2   running 2   queued 6   retrying 4   parts 7/18');
  });

  test('the cost is projected from what called jobs cost; before that from the plan', () => {
    const made = new Progress();
    made.onEvent(started({ plan: { expectedNanoUsd: 1_170_000_000, budgetNanoUsd: 3_000_000_000 } }));
    const few = sampleModel({ pass: 4, fail: 0, review: 0, error: 0, cached: 0, queued: 34 });
    made.onTotals(sampleTotals({ byModel: [few] }), STARTED_MS);
    expect(panelLines(made, LOOK)[3]).toContain('→ $1.17 projected');
    made.onTotals(sampleTotals(), STARTED_MS);
    expect(panelLines(made, LOOK)[3]).toContain('→ $1.07 projected');
  });

  test('what waits is said in words, whatever the reason', () => {
    for (const why of ['lane_paused', 'lane_cooldown', 'lane_concurrency', 'run_concurrency', 'store_maximum', 'backoff'] as const) {
      const made = progress();
      made.onTotals(sampleTotals({ waiting: [{ why, laneId: null, count: 4, untilMs: null, message: null }] }), STARTED_MS);
      expect(panelLines(made, LOOK).at(-1)).toMatch(/^4 waiting: [a-z]+ [a-z ]+/);
      expect(panelLines(made, LOOK).at(-1)).not.toContain('_');
    }
  });

  test('all that is waited for is named', () => {
    const made = progress();
    const wait = { laneId: null, count: 4, untilMs: null, message: null };
    made.onTotals(
      sampleTotals({
        waiting: [
          { ...wait, why: 'lane_paused', lane: 'lab' },
          { ...wait, why: 'lane_cooldown', lane: 'hub' },
        ],
      }),
      STARTED_MS,
    );
    expect(panelLines(made, LOOK).at(-1)).toBe('4 waiting: lab is paused · 4 waiting: hub wants a pause');
  });

  test('before the first totals it counts events', () => {
    const made = new Progress();
    made.onEvent(started({ jobs: 10 }));
    expect(panelLines(made, LOOK)).toEqual([
      '0/10    0%  ························  ETA ?',
      'pass 0   fail 0   review 0   dlq 0   running 0   queued 10   retrying 0',
    ]);
  });

  test.each([20, 60, 100, 200])('at %i columns no line is too wide, with colour or without', (columns) => {
    const models = [sampleModel({ model: '漢字モデル'.repeat(9) }), sampleModel({ model: HOSTILE })];
    for (const colour of [false, true]) {
      for (const line of panelLines(progress(models), { ...LOOK, columns, paint: painter(colour) })) {
        expect(columnsOf(line)).toBeLessThanOrEqual(columns);
        expect(line).not.toContain('\n');
      }
    }
  });

  test('many models are cut to nine lines in all, and a low terminal gets fewer', () => {
    const models = Array.from({ length: 30 }, (_, index) => sampleModel({ model: `m${index}` }));
    const lines = panelLines(progress(models), LOOK);
    expect(lines).toHaveLength(9);
    expect(lines[6]).toBe('and 26 more models');
    expect(panelLines(progress(models), { ...LOOK, rows: 5 })).toHaveLength(3);
  });

  test('reading documents is one line', () => {
    expect(documentsLine(3, 42, HOSTILE, 60)).toBe('reading documents 3/42  x ::set-output name=a::b evil');
  });
});
