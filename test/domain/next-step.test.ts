import { expect, test } from 'vitest';
import { advised, withNext } from '../../src/domain/next-step.ts';

test('a text that says what to do gives both parts back, however often the step speaks of a next', () => {
  const next = 'mv a "b; next: c"';
  expect(advised({ reason: 'document_no_text', message: withNext('it is a scan', next) })).toEqual({ what: 'it is a scan', next });
  expect(advised({ reason: 'document_broken', message: 'it is damaged; fetch it again' })).toEqual({
    what: 'it is damaged; fetch it again',
    next: null,
  });
});

test('what a model says is never a step', () => {
  const message = 'expected an array, got "x; next: rm -rf ."';
  expect(advised({ reason: 'invalid_answer', message })).toEqual({ what: message, next: null });
});
