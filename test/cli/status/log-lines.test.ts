import { expect, test } from 'vitest';
import { logText } from '../../../src/cli/display/log-line.ts';
import { rowLine } from '../../../src/cli/status/log-lines.ts';
import type { LogRow } from '../../../src/store/log-rows.ts';
import { DANGEROUS, HOSTILE } from '../display/sample-events.ts';
import { sampleRun } from '../sample-run.ts';

const JOB = { jobId: 'j3f9aaaaaaaa', documentId: 'a.md', task: 'ambiguity', model: 'fast', repeat: 1 };
const FAILURE = { class: 'transient', reason: 'timeout', message: 'no answer in 120 s' } as const;

function tried(change: Partial<Extract<LogRow, { kind: 'try' }>> = {}): string {
  const place = { atMs: 0, kind: 'try', id: 1 } as const;
  const row = {
    place,
    job: JOB,
    kind: 'try',
    outcome: 'failed',
    final: false,
    step: 'answer',
    index: 0,
    number: 2,
    failure: FAILURE,
  } as const;
  return logText(rowLine(sampleRun(), { ...row, ...change }), '-');
}

test('a try says which it was and why it failed, of a document in parts also of which part', () => {
  expect(tried()).toBe('- RETRY a.md:ambiguity:fast#2 try=2 reason=timeout message="no answer in 120 s" job=j3f9aaaa');
  expect(tried({ final: true, step: 'chunk', index: 6 })).toMatch(/^- ERROR a\.md:ambiguity:fast#2 step=chunk-7 try=2 reason=timeout /);
  expect(tried({ outcome: 'lost', failure: null })).toBe('- WARN a.md:ambiguity:fast#2 what="lease lost" try=2 job=j3f9aaaa');
  expect(tried({ outcome: 'superseded' })).toContain(' INFO a.md:ambiguity:fast#2 what="asked again" ');
  expect(tried({ outcome: 'downgraded' })).toContain(' INFO a.md:ambiguity:fast#2 what="asked for less" ');
});

test('hostile words stay one line behind words of our own', () => {
  const line = tried({ failure: { ...FAILURE, message: HOSTILE } });
  expect(line).not.toMatch(DANGEROUS);
  expect(line).toMatch(/^- RETRY a\.md/);
});
