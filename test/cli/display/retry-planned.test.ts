import { expect, test } from 'vitest';
import { eventLine } from '../../../src/cli/display/plain-line.ts';
import { priceText } from '../../../src/cli/display/price-text.ts';
import { scrollLine } from '../../../src/cli/display/scroll-line.ts';
import { painter } from '../../../src/cli/terminal/style.ts';

const PLANNED = {
  kind: 'retry.planned',
  runId: 'r-8kq2aaaa',
  jobs: 3,
  otherJobs: 0,
  calls: 7,
  expectedNanoUsd: 120_000_000,
  worstNanoUsd: 340_000_000,
  keepsResults: true,
} as const;

test('what a retry will take stands above the panel in full, broken where the terminal is narrow', () => {
  const sentence =
    '3 jobs asked again: 7 calls, expected cost $0.12, at most $0.34, one try each. The old results stay until the new ones are there.';
  expect(scrollLine(PLANNED, 200, painter(false))).toBe(sentence);
  const narrow = scrollLine(PLANNED, 60, painter(false))?.split('\n') ?? [];
  expect(Math.max(...narrow.map((line) => line.length))).toBeLessThanOrEqual(60);
  expect(narrow.map((line) => line.trim()).join(' ')).toBe(sentence);
});

test('a log has it as a line of its own; what is unknown is left out of it', () => {
  const fields = { jobs: 3, calls: 7, expected_usd: 0.12, at_most_usd: 0.34 };
  expect(eventLine(PLANNED)).toEqual({ level: 'INFO', event: 'retry.planned', text: 'retry r-8kq2aaaa', fields });
  expect(eventLine({ ...PLANNED, otherJobs: 2, expectedNanoUsd: null, worstNanoUsd: null })?.fields).toEqual({
    jobs: 3,
    others: 2,
    calls: 7,
  });
});

test('the price names whose calls are in it, says what is unknown, and that nothing is nothing', () => {
  const { calls, otherJobs, expectedNanoUsd, worstNanoUsd } = PLANNED;
  const price = { calls, otherJobs, expectedNanoUsd, worstNanoUsd };
  expect(priceText({ ...price, otherJobs: 1 })).toBe(
    '7 calls with those of 1 job still open, expected cost $0.12, at most $0.34, one try each.',
  );
  expect(priceText({ ...price, calls: 1, expectedNanoUsd: null, worstNanoUsd: null })).toBe(
    '1 call, expected cost unknown, at most unknown, one try each.',
  );
  expect(priceText({ calls: 0, otherJobs: 0, expectedNanoUsd: 0, worstNanoUsd: 0 })).toBe('0 calls, nothing to pay.');
});
