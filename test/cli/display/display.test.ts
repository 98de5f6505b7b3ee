import { describe, expect, test } from 'vitest';
import { createDisplay } from '../../../src/cli/display/create-display.ts';
import type { RunOutcome } from '../../../src/cli/display/outcome.ts';
import { type Globals, resolveGlobals } from '../../../src/cli/globals.ts';
import { fakeIo } from '../fake-io.ts';
import { STARTED_MS, sampleRun, sampleTotals } from '../sample-run.ts';
import { ended, HOSTILE, numbers, started } from './sample-events.ts';

function globals(change: Partial<Globals>): Globals {
  return { ...resolveGlobals({}, fakeIo()).globals, display: 'plain', ...change };
}

const EXAMPLE = { label: 'specs/auth.md:claims:fast', jobId: 'j3f9aaaabbbb', task: 'claims', model: 'fast', message: 'm' };

function outcome(exitCode: number): RunOutcome {
  return {
    run: sampleRun(),
    verdict: exitCode === 0 ? 'pass' : 'fail',
    codes: [exitCode],
    exitCode,
    totals: sampleTotals(),
    causes: { errors: [], failedChecks: [{ check: 'quotes', count: 5, example: EXAMPLE }], failedJobs: 5, reviews: null },
    durationMs: 1,
    nowMs: STARTED_MS,
    stoppedBy: [],
    openNanoUsd: null,
    isLast: true,
  };
}

async function play(change: Partial<Globals>, exitCode = 0) {
  const io = fakeIo();
  const display = await createDisplay(globals(change), io);
  for (const event of [started(), ended({ verdict: 'fail', explanation: HOSTILE })]) display.onEvent(event);
  display.onTotals(numbers());
  display.onFinished(outcome(exitCode));
  display.close();
  display.close();
  return { stdout: io.stdout.lines, stderr: io.stderr.lines };
}

describe('the choice of display', () => {
  test('plain writes to stderr only', async () => {
    const { stdout, stderr } = await play({ display: 'plain' });
    expect(stdout).toEqual([]);
    expect(stderr.length).toBeGreaterThan(3);
  });

  test('none is silent for a pass and gives causes and paths for anything else', async () => {
    expect(await play({ display: 'none' })).toEqual({ stdout: [], stderr: [] });
    const { stderr } = await play({ display: 'none' }, 1);
    expect(stderr[0]).toMatch(/^FAIL {2}r-8kq2aaaa · pass rate .* exit 1$/);
    expect(stderr[1]).toBe('  5 jobs: fail           quotes 5  → aieval show j3f9aaaa');
    expect(stderr.at(-1)).toMatch(/^ {2}Saved \.aieval\/runs\/r-8kq2aaaa\/\{summary\.md,results\.jsonl\}/);
  });

  test('--json gives every event as one JSON line on stdout, run.finished last, and keeps stderr silent', async () => {
    const { stdout, stderr } = await play({ json: true, display: 'none' }, 1);
    const records: unknown[] = stdout.map((line) => JSON.parse(line));
    expect(records).toEqual([
      expect.objectContaining({ v: 1, event: 'run.started', ts: '2026-11-29T13:12:30.000Z', run: 'r-8kq2aaaa', jobs: 40, cached: 8 }),
      expect.objectContaining({ v: 1, event: 'job.ended', verdict: 'fail', explanation: HOSTILE }),
      expect.objectContaining({ v: 1, event: 'run.finished', exitCode: 1, verdict: 'fail', reasons: ['gate'] }),
    ]);
    expect(stderr).toEqual([]);
  });

  test('--json together with a named display shows both, each on its stream', async () => {
    const { stdout, stderr } = await play({ json: true, display: 'plain' });
    expect(stdout).toHaveLength(3);
    expect(stderr[0]).toContain('INFO run r-8kq2aaaa');
  });
});
