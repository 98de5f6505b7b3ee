import { describe, expect, test } from 'vitest';
import { sumTotals } from '../../../src/cli/status/sum-totals.ts';
import { sampleModel, sampleTotals } from '../sample-run.ts';

describe('the totals of several runs', () => {
  test('of one run are its own', () => {
    expect(sumTotals([sampleTotals()])).toEqual(sampleTotals());
  });

  test('are added up, models of one name together, reasons too', () => {
    const first = sampleTotals({ dlq: [{ reason: 'timeout', count: 2 }] });
    const second = sampleTotals({
      lostLeases: 3,
      byModel: [sampleModel(), sampleModel({ model: 'slow' })],
      dlq: [
        { reason: 'refused', count: 1 },
        { reason: 'timeout', count: 5 },
      ],
    });
    const sum = sumTotals([first, second]);
    expect(sum).toMatchObject({
      calls: 46,
      lostLeases: 3,
      jobs: { total: 80, running: 4 },
      results: { total: 60 },
      tokens: { output: 130_000 },
    });
    expect(sum.cost).toMatchObject({ spentNanoUsd: 1_340_000_000, reservedNanoUsd: 140_000_000 });
    expect(sum.byModel.map(({ model, total, inputTokens }) => ({ model, total, inputTokens }))).toEqual([
      { model: 'fast', total: 80, inputTokens: 4_320_000 },
      { model: 'slow', total: 40, inputTokens: 2_160_000 },
    ]);
    expect(sum.dlq).toEqual([
      { reason: 'timeout', count: 7 },
      { reason: 'refused', count: 1 },
    ]);
    expect(sum.waiting).toHaveLength(2);
  });

  test('an unknown price stays unknown only where no other is known', () => {
    const unknown = sampleTotals({ cost: { ...sampleTotals().cost, spentNanoUsd: null } });
    expect(sumTotals([unknown, unknown]).cost.spentNanoUsd).toBeNull();
    expect(sumTotals([unknown, sampleTotals()]).cost.spentNanoUsd).toBe(670_000_000);
    expect(sumTotals([]).cost.spentNanoUsd).toBe(0);
  });
});
