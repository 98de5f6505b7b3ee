import { expect, test } from 'vitest';
import { errorRecord, eventRecord } from '../../../src/cli/observe/event-record.ts';
import { UserError } from '../../../src/domain/errors.ts';
import { EVENTS, loggedText } from '../logged-events.ts';

test('what may hold words of a document or a server is in no record', () => {
  expect(loggedText()).not.toContain('MARK');
});

test('what is told of each piece of work is not told twice', () => {
  for (const kind of ['job.started', 'job.ended', 'step.retry', 'lease.lost'] as const) expect(eventRecord(EVENTS[kind])).toBeNull();
});

test('a pause says whom it holds, why and until when', () => {
  expect(eventRecord(EVENTS['lane.paused'])).toEqual({
    level: 'warn',
    event: 'lane.paused',
    fields: { provider: 'lab', scope: 'lane', model: null, reason: 'rate_limited', status: null, until: '1970-01-01T00:00:00.001Z' },
  });
});

test('an error that a person can mend is its number, any other is a bug', () => {
  const known = new UserError({ code: 'E24', exitCode: 8, message: 'MARK' });
  expect(errorRecord(known)).toEqual({ level: 'error', event: 'command.failed', fields: { code: 'E24', exit_code: 8 } });
  expect(errorRecord(new Error('MARK')).fields).toEqual({ code: 'E99', exit_code: 70 });
});
