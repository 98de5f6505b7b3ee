import { describe, expect, test } from 'vitest';
import type { RunOutcome } from '../../../src/cli/display/outcome.ts';
import { plainDisplay } from '../../../src/cli/display/plain.ts';
import type { EngineEvent } from '../../../src/engine/events.ts';
import { fakeIo } from '../fake-io.ts';
import { STARTED_MS, sampleRun, sampleTotals } from '../sample-run.ts';
import { DANGEROUS, ended, HOSTILE, numbers, started } from './sample-events.ts';

function shown(...events: EngineEvent[]): string[] {
  const io = fakeIo();
  const display = plainDisplay(io);
  for (const event of events) display.onEvent(event);
  return io.stderr.lines;
}

function outcome(): RunOutcome {
  return {
    run: sampleRun(),
    verdict: 'incomplete',
    codes: [3],
    exitCode: 3,
    totals: sampleTotals(),
    causes: { errors: [], failedChecks: [], failedJobs: 0, reviews: null },
    durationMs: 1000,
    nowMs: STARTED_MS,
    stoppedBy: [],
    openNanoUsd: null,
    isLast: true,
  };
}

describe('the plain log', () => {
  test('one event is one line that begins with the time in UTC and a level', () => {
    const failure = { class: 'rate', reason: 'rate_limited', message: '429' } as const;
    const error = { reason: 'timeout', message: 'no answer in 120 s' } as const;
    const [jobId, label] = ['k81caaaaaaaaaaaaaaaaaaaaaa', 'a.md:claims:fast'];
    expect(
      shown(
        { kind: 'document.failed', documentId: 'scan.pdf', reason: 'document_no_text', message: 'no text layer (12 pages)' },
        started({ jobs: 420, cached: 84 }),
        { kind: 'job.started', runId: 'r-8kq2aaaa', jobId, label },
        { kind: 'step.retry', runId: 'r-8kq2aaaa', jobId, label, failure, atMs: 1 },
        { kind: 'step.reask', runId: 'r-8kq2aaaa', jobId, label, errors: ['/findings must be an array'] },
        ended({ verdict: 'fail', explanation: 'evidence: quote not in document' }),
        ended({ verdict: 'review' }),
        ended({ jobId, label, state: 'failed', verdict: 'error', error }),
        {
          kind: 'lane.paused',
          provider: 'lab',
          scope: 'model',
          model: 'fast',
          failure,
          untilMs: null,
          fix: 'correct models.fast',
          next: 'aieval run m.json',
        },
        { kind: 'lease.lost', runId: 'r-8kq2aaaa', jobId, label, resultKept: true },
        { kind: 'stopping', inFlight: 6, now: false },
        { kind: 'warning', message: 'the cache cannot be read' },
      ),
    ).toEqual([
      '13:12:30Z WARN document scan.pdf reason=document_no_text message="no text layer (12 pages)"',
      '13:12:30Z INFO run r-8kq2aaaa name=spec-review jobs=420 cached=84 joined=false out=/home/ann/spec/.aieval/runs/r-8kq2aaaa',
      '13:12:30Z INFO retry a.md:claims:fast reason=rate_limited message=429',
      '13:12:30Z INFO reask a.md:claims:fast errors=1 first="/findings must be an array"',
      '13:12:30Z FAIL specs/auth.md:claims:fast check="evidence: quote not in document" job=j3f9aaaa',
      '13:12:30Z REVIEW specs/auth.md:claims:fast job=j3f9aaaa',
      '13:12:30Z DLQ  a.md:claims:fast reason=timeout message="no answer in 120 s" job=k81caaaa',
      '13:12:30Z WARN paused lab scope=model model=fast reason=rate_limited message=429 fix="correct models.fast" next="aieval run m.json"',
      '13:12:30Z WARN lease lost a.md:claims:fast answer_kept=true',
      '13:12:30Z WARN stopping in_flight=6 now=false',
      '13:12:30Z WARN the cache cannot be read',
    ]);
  });

  test('who did not plan a run has not counted its known answers, and says no number of them', () => {
    expect(shown(started({ jobs: 420, cached: null, joined: true }))).toEqual([
      '13:12:30Z INFO run r-8kq2aaaa name=spec-review jobs=420 joined=true out=/home/ann/spec/.aieval/runs/r-8kq2aaaa',
    ]);
  });

  test('progress comes every 5 % and not more often', () => {
    const io = fakeIo();
    const display = plainDisplay(io);
    display.onEvent(started({ jobs: 100, cached: 0 }));
    for (let done = 0; done < 100; done += 1) {
      io.nowMs += 1000;
      display.onEvent(ended());
    }
    const lines = io.stderr.lines.filter((line) => line.includes('progress'));
    expect(lines).toHaveLength(20);
    expect(lines.at(-1)).toBe('13:14:10Z INFO progress done=100/100 pass=100 fail=0 review=0 dlq=0');
  });

  test('each run of a worker has progress of its own, named where there was another', () => {
    const io = fakeIo();
    const display = plainDisplay(io);
    const pass = (runId: string, times: number): void => {
      for (let done = 0; done < times; done += 1) {
        io.nowMs += 1000;
        display.onEvent(ended({ runId }));
      }
    };
    display.onEvent(started({ jobs: 40 }));
    pass('r-8kq2aaaa', 40);
    display.onFinished(outcome());
    display.onEvent(started({ runId: 'r-2', jobs: 2 }));
    // Late: of a run that is over.
    pass('r-8kq2aaaa', 1);
    pass('r-2', 2);
    const lines = io.stderr.lines.filter((line) => line.includes('progress'));
    expect(lines.slice(-3)).toEqual([
      '13:13:10Z INFO progress done=40/40 pass=40 fail=0 review=0 dlq=0',
      '13:13:12Z INFO progress run=r-2 done=1/2 pass=1 fail=0 review=0 dlq=0',
      '13:13:13Z INFO progress run=r-2 done=2/2 pass=2 fail=0 review=0 dlq=0',
    ]);
  });

  test('nor more than once a second, however fast the jobs end', () => {
    const passes = Array.from({ length: 1000 }, () => ended());
    expect(shown(started({ jobs: 1000 }), ...passes).filter((line) => line.includes('progress'))).toEqual([]);
  });

  test('or 30 s later, also with nothing done: then with what the run waits for', () => {
    const io = fakeIo();
    const display = plainDisplay(io);
    display.onEvent(started({ jobs: 1000 }));
    const lines = () => io.stderr.lines.filter((line) => line.includes('progress'));
    display.onEvent(ended());
    io.nowMs += 29_000;
    display.onEvent(ended());
    expect(lines()).toHaveLength(0);
    io.nowMs += 1000;
    display.onEvent(ended());
    expect(lines()).toHaveLength(1);
    io.nowMs += 60_000;
    const jobs = { total: 1000, queued: 997, running: 0, succeeded: 3, failed: 0, cancelled: 0 };
    const waiting = [{ why: 'lane_cooldown', laneId: 'l', count: 997, untilMs: io.nowMs + 40_000, message: null } as const];
    display.onTotals(numbers({ jobs, waiting }));
    expect(lines()).toHaveLength(2);
    expect(lines().at(-1)).toContain('waiting="the provider wants a pause, next in 40 s"');
  });

  test('what is spent stands beside the calls whose price nobody knows', () => {
    const io = fakeIo();
    const display = plainDisplay(io);
    display.onEvent(started({ jobs: 1000 }));
    display.onEvent(ended());
    io.nowMs += 60_000;
    display.onTotals(numbers({ cost: { ...sampleTotals().cost, spentNanoUsd: 0, unpricedCalls: 50 } }));
    expect(io.stderr.lines.at(-1)).toContain(' usd=0 unpriced_calls=50');
  });

  test('reading documents shows progress by the same rule', () => {
    const io = fakeIo();
    const display = plainDisplay(io);
    for (let done = 1; done <= 200; done += 1) {
      io.nowMs += 500;
      display.onEvent({ kind: 'documents.progress', done, total: 200, documentId: 'x' });
    }
    expect(io.stderr.lines).toHaveLength(20);
    expect(io.stderr.lines.at(-1)).toBe('13:14:10Z INFO documents read=200/200');
  });

  test('hostile text stays one line without escapes, behind words of our own', () => {
    const lines = shown(
      started({ name: HOSTILE }),
      ended({ label: HOSTILE, verdict: 'fail', explanation: HOSTILE }),
      { kind: 'warning', message: HOSTILE },
      { kind: 'document.failed', documentId: HOSTILE, reason: 'document_broken', message: HOSTILE },
    );
    expect(lines).toHaveLength(4);
    for (const line of lines) {
      expect(line).not.toMatch(DANGEROUS);
      expect(line).toMatch(/^13:12:30Z /);
    }
  });

  test('the end is one line for grep and the block for people', () => {
    const io = fakeIo();
    plainDisplay(io).onFinished(outcome());
    expect(io.stderr.lines[0]).toBe(
      '13:12:30Z ERROR run r-8kq2aaaa INCOMPLETE exit=3 jobs=40 dlq=2 pass=14 fail=4 review=1 error=2 open=9 out=/home/ann/spec/.aieval/runs/r-8kq2aaaa',
    );
    expect(io.stderr.lines[1]).toMatch(/^INCOMPLETE {2}r-8kq2aaaa/);
    expect(io.stderr.text).not.toContain('\u001b');
    expect(io.stdout.text).toBe('');
  });
});
