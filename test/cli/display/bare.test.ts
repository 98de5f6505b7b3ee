import { expect, test } from 'vitest';
import { bareEvent, mayShowWords } from '../../../src/cli/display/bare.ts';
import { fakeIo } from '../fake-io.ts';
import { ended } from './sample-events.ts';

const none = { privacy: { evidence: 'none' } } as const;
const terminal = { isTTY: true };
const pipe = { isTTY: false };
const may = (env: Record<string, string>, ...streams: { isTTY: boolean }[]) => {
  const { stderr } = fakeIo();
  return mayShowWords(
    { env },
    streams.map(({ isTTY }) => Object.assign(Object.create(stderr), { isTTY })),
    none,
  );
};

test('words of a private run are for a person at a terminal that is no log of a CI', () => {
  expect(may({}, terminal)).toBe(true);
  expect(may({}, terminal, pipe)).toBe(false);
  expect(may({}, pipe)).toBe(false);
  expect(may({ CI: 'true' }, terminal)).toBe(false);
  expect(mayShowWords({ env: { CI: 'true' } }, [], { privacy: { evidence: 'quote' } })).toBe(true);
});

test('an event keeps names, counts and reasons, and loses words', () => {
  const failed = bareEvent(ended({ verdict: 'fail', explanation: 'evidence: secret', bareExplanation: 'evidence: 1 quote: 1 rejected' }));
  expect(failed).toMatchObject({ explanation: 'evidence: 1 quote: 1 rejected' });
  expect(bareEvent({ kind: 'step.reask', runId: 'r-8kq2aaaa', jobId: 'j', label: 'l', errors: ['secret'] })).toMatchObject({
    errors: ['not shown'],
  });
  const failure = {
    class: 'transient',
    reason: 'server_error',
    message: 'secret',
    code: 'secret',
    partial: 'secret',
    status: 503,
  } as const;
  const retry = bareEvent({ kind: 'step.retry', runId: 'r-8kq2aaaa', jobId: 'j', label: 'l', failure, atMs: 0 });
  expect(JSON.stringify(retry)).not.toContain('secret');
  expect(retry).toMatchObject({ failure: { reason: 'server_error', message: 'HTTP 503' } });
});
