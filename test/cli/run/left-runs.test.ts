import { expect, test } from 'vitest';
import { leftRuns, leftText } from '../../../src/cli/run/left-runs.ts';
import { workerAgain } from '../../../src/cli/run/worker-again.ts';
import { UserError } from '../../../src/domain/errors.ts';
import { sampleRun } from '../sample-run.ts';

const AGAIN = workerAgain({ exitWhenIdle: true, tags: ['gpu', 'large'], concurrency: 4, allowHost: ['lab.example'] });

function textOf(next: readonly string[]): string {
  const run = sampleRun();
  const refused = new Map([[run.runId, new UserError({ code: 'E05', exitCode: 4, message: 'm', next })]]);
  const met = { refused, again: AGAIN, blocked: [], unplanned: new Map(), shared: true, cwd: '/home/ann' };
  return leftRuns([run], met).map(leftText).join('');
}

test('a run for which something is missing here names its number, what mends it, and the command as it was typed', () => {
  expect(textOf(['export LAB_KEY=…'])).toBe(
    'run r-8kq2aaaa is left: it cannot be worked on here (E05)\n' +
      'next: export LAB_KEY=…, then: aieval worker --exit-when-idle --tags gpu,large --concurrency 4 --allow-host lab.example\n',
  );
});

test('where only another machine can work on it, that is all there is to type', () => {
  expect(textOf(['aieval worker, on that machine'])).toContain('\nnext: aieval worker, on that machine\n');
  expect(textOf([])).toContain(`\nnext: ${AGAIN}\n`);
});
