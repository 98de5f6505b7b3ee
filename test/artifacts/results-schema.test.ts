import { expect, test } from 'vitest';
import { resultLineSchema, runHeaderSchema } from '../../src/artifacts/results-schema.ts';
import { finding, header, line, score } from '../report/sample.ts';

test('a header with speeds, budget and stops is read back as it was written, and so is one of an older version without', () => {
  const told = header({
    speeds: { fast: { firstTokenMs: 840, tokensPerSecond: 63.4 }, local: { firstTokenMs: null, tokensPerSecond: null } },
    budget: { usd: { limit: 3, used: 2.99 }, tokens: null },
    stoppedBy: [
      { why: 'lane_paused', lane: 'lab', count: 3, until: '2026-12-01T14:05:30.000Z', message: 'slow down' },
      { why: 'tags', lane: null, count: 1, until: null, message: null, tags: ['gpu'] },
    ],
  });
  for (const each of [told, header()]) expect(runHeaderSchema.parse(JSON.parse(JSON.stringify(each)))).toEqual(each);
});

test('a mark and a field that a later version knows are left out, and the line is read all the same', () => {
  const known = line({ scores: [score({ findings: [finding({ marks: ['boundary'] })] })] });
  const written = JSON.stringify(known).replace('["boundary"]', '["glued","boundary"],"colour":"red"');
  expect(resultLineSchema.parse(JSON.parse(written))).toEqual(known);
});

test('what stands beside a quote is read back as it was written', () => {
  const told = line({ scores: [score({ findings: [{ ...finding(), beside: { problem: 'Unclear.', count: 2, sure: true } }] })] });
  expect(resultLineSchema.parse(JSON.parse(JSON.stringify(told)))).toEqual(told);
});
