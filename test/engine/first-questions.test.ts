import { describe, expect, test } from 'vitest';
import { firstQuestions } from '../../src/engine/first-questions.ts';
import type { StepRow } from '../../src/store/rows.ts';
import { completion, part } from '../store/rows.ts';

function step(kind: StepRow['kind'], changes: Partial<StepRow> = {}): StepRow {
  const times = { runAtMs: 0, leaseOwner: null, leaseExpiresAtMs: null };
  const rest = { stepId: 1, index: 0, key: 'k', keyRecord: null, callToken: null, part: null, prompt: null, paidBy: null };
  return { ...times, ...rest, kind, state: 'succeeded', outcome: 'answered', ...changes };
}

const ANSWER = completion();
const STORED = new Map([
  ['a', ANSWER],
  ['b', ANSWER],
]);
const PARTS = [step('chunk', { part: part(0), callToken: 'a' }), step('chunk', { part: part(1), callToken: 'gone' })];
const PROMPT = { system: null, prompt: 'Sum up.' };
const asked = (...more: StepRow[]) => firstQuestions({ steps: [...PARTS, ...more] }, STORED);

describe('what a job of several steps asks first', () => {
  test('is each part once, with the answer that it took', () => {
    expect(asked(step('finish'), step('reask', { part: part(0), callToken: 'b' }))).toEqual([
      { input: { kind: 'part', part: part(0) }, answered: ANSWER },
      { input: { kind: 'part', part: part(1) }, answered: undefined },
    ]);
  });

  test('is its reduce as well, also one that is known to be bad and left no answer', () => {
    const input = { kind: 'prompt', ...PROMPT };
    expect(asked(step('reduce', { prompt: PROMPT, callToken: 'b' })).at(-1)).toEqual({ input, answered: ANSWER });
    const bad = step('reduce', { prompt: PROMPT, state: 'failed', outcome: 'known_bad' });
    expect(asked(bad).at(-1)).toEqual({ input, answered: undefined });
  });

  test('is not a reduce of answers that were asked for again', () => {
    expect(asked(step('reduce', { prompt: PROMPT, outcome: 'superseded' }))).toHaveLength(2);
    expect(asked(step('reduce', { prompt: PROMPT, outcome: 'superseded', callToken: 'b' }))).toHaveLength(3);
  });
});
