import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { fullDisplay } from '../../../src/cli/display/full.ts';
import type { RunOutcome } from '../../../src/cli/display/outcome.ts';
import { columnsOf } from '../../../src/cli/terminal/width.ts';
import { FakeStream, fakeIo } from '../fake-io.ts';
import { STARTED_MS, sampleRun, sampleTotals } from '../sample-run.ts';
import { ended, HOSTILE, numbers, started } from './sample-events.ts';

const HIDE = '\u001b[?25l';
const SHOW = '\u001b[?25h';
const UPWARDS = '\u001b[1A';
const SYNC = '\u001b[?2026h';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

async function open(columns: number, colour = false) {
  const stderr = new FakeStream(columns);
  const io = fakeIo({ stderr });
  const faults: unknown[] = [];
  return { stderr, io, faults, display: await fullDisplay(io, colour, (error) => faults.push(error)) };
}

const OUTCOME: RunOutcome = {
  run: sampleRun({ state: 'finished' }),
  verdict: 'pass',
  codes: [0],
  exitCode: 0,
  totals: sampleTotals(),
  causes: { errors: [], failedChecks: [], failedJobs: 0, reviews: null },
  durationMs: 1000,
  nowMs: STARTED_MS,
  stoppedBy: [],
  openNanoUsd: null,
  isLast: true,
};

describe('the live display', () => {
  test('hides the cursor while it draws and gives it back when the run is over', async () => {
    const { stderr, display } = await open(100);
    display.onEvent(started());
    expect(stderr.text).toContain(HIDE);
    display.onFinished(OUTCOME);
    display.close();
    expect(stderr.text.lastIndexOf(SHOW)).toBeGreaterThan(stderr.text.lastIndexOf(HIDE));
    expect(
      stderr.lines.some((line) => line.endsWith('PASS  r-8kq2aaaa · 30 results (14 pass, 4 fail, 1 to review, 2 not evaluated)')),
    ).toBe(true);
  });

  test('close alone gives the cursor back, and nothing is drawn after it', async () => {
    const { stderr, display } = await open(100);
    display.onEvent(started());
    display.close();
    const written = stderr.chunks.length;
    vi.advanceTimersByTime(5000);
    expect(stderr.chunks.length).toBe(written);
    expect(stderr.text).toContain(SHOW);
  });

  test('draws twice a second, however many events there are', async () => {
    const { stderr, display } = await open(100);
    display.onEvent(started({ jobs: 5000 }));
    const before = stderr.text.split(SYNC).length;
    for (let tick = 0; tick < 100; tick += 1) {
      for (let index = 0; index < 20; index += 1) display.onEvent(ended({ verdict: index % 2 === 0 ? 'pass' : 'fail' }));
      vi.advanceTimersByTime(20);
    }
    expect(stderr.text.split(SYNC).length - before).toBeLessThanOrEqual(2 * 2 + 1);
    display.close();
    expect(stderr.text.match(/ FAIL /g)).toHaveLength(1000);
  });

  test('what went wrong scrolls past above the panel, a pass does not', async () => {
    const { stderr, display } = await open(100);
    display.onEvent(started());
    display.onEvent(ended());
    display.onEvent(ended({ verdict: 'fail', explanation: 'evidence: quote not in document' }));
    display.onEvent(
      ended({ state: 'failed', verdict: 'error', error: { reason: 'timeout', message: 'no answer' }, label: 'b.md:claims:fast' }),
    );
    display.onEvent({ kind: 'stopping', inFlight: 6, now: false, graceMs: 60_000, byPerson: true });
    display.onEvent({ kind: 'stopping', inFlight: 5, now: false, graceMs: 10_000, byPerson: false });
    display.close();
    expect(stderr.text).toMatch(/FAIL {3}specs\/auth\.md:claims:fast +evidence: quote not in document {2}show j3f9aaaa/);
    expect(stderr.text).toMatch(/DLQ {4}b\.md:claims:fast +timeout: no answer {2}show j3f9aaaa/);
    expect(stderr.text).toContain('Stopping: 6 calls in flight (≤ 60 s). Ctrl-C again to leave now.\n');
    expect(stderr.text).toContain('Stopping: 5 calls in flight (≤ 10 s).\n');
    expect(stderr.text).not.toContain('PASS');
  });

  test.each([60, 100, 200])('at %i columns no line is wider than the terminal', async (columns) => {
    const { stderr, display } = await open(columns);
    display.onEvent({ kind: 'documents.progress', done: 1, total: 9, documentId: 'x'.repeat(300) });
    display.onEvent(started({ name: 'n'.repeat(300) }));
    display.onEvent(ended({ label: `${'long/'.repeat(80)}:a:b`, verdict: 'fail', explanation: 'e'.repeat(500) }));
    display.onTotals(numbers());
    vi.advanceTimersByTime(600);
    display.close();
    const visible = stderr.chunks.flatMap((chunk) => stripVTControlCharacters(chunk).split('\n'));
    for (const line of visible) expect(columnsOf(line)).toBeLessThanOrEqual(columns);
  });

  test('a terminal that loses its size loses the panel, not what went wrong, and gets it back with its size', async () => {
    const { stderr, display } = await open(100);
    display.onEvent(started());
    stderr.resize(0, 0);
    const lost = stderr.text.length;
    display.onEvent(ended({ verdict: 'fail', explanation: 'e' }));
    display.onTotals(numbers());
    vi.advanceTimersByTime(2000);
    expect(stripVTControlCharacters(stderr.text.slice(lost))).toMatch(/^ {2}FAIL {3}specs\/auth\.md:claims:fast .* show j3f9aaaa\n$/);
    stderr.resize(60, 24);
    expect(stderr.text.slice(lost)).toContain('28/40');
    display.onFinished(OUTCOME);
    const over = stderr.text.length;
    stderr.resize(100, 24);
    expect(stderr.text.length).toBe(over);
  });

  test('a run that ends while the terminal has no size ends with its last block', async () => {
    const { stderr, display } = await open(100);
    display.onEvent(started());
    stderr.resize(0, 0);
    display.onFinished(OUTCOME);
    display.close();
    expect(stderr.text).toContain('PASS  r-8kq2aaaa');
    expect(stderr.text.lastIndexOf(SHOW)).toBeGreaterThan(stderr.text.lastIndexOf(HIDE));
  });

  test('Ctrl-Z gives the cursor and the lines back, and what stands there afterwards is not touched', async () => {
    const { stderr, io, display } = await open(100);
    display.onEvent(started());
    io.suspend();
    expect(stderr.text.lastIndexOf(SHOW)).toBeGreaterThan(stderr.text.lastIndexOf(HIDE));
    const suspended = stderr.text.length;
    vi.advanceTimersByTime(3000);
    expect(stderr.text.length).toBe(suspended);
    io.goOn();
    const after = stderr.text.slice(suspended);
    expect(after).toContain(HIDE);
    expect(after.slice(0, after.indexOf('0/40'))).not.toContain(UPWARDS);
    display.close();
    const over = stderr.text.length;
    io.goOn();
    expect(stderr.text.length).toBe(over);
  });

  test('in the background of a shell nothing is drawn over its prompt; brought back, it tells what happened meanwhile', async () => {
    const { stderr, io, display } = await open(100);
    display.onEvent(started());
    io.suspend();
    io.isInFront = false;
    const suspended = stderr.text.length;
    // The process runs again a moment before it knows.
    display.onEvent(ended({ verdict: 'fail', explanation: 'e' }));
    io.goOn();
    display.onTotals(numbers());
    vi.advanceTimersByTime(3000);
    expect(stderr.text.length).toBe(suspended);
    io.isInFront = true;
    vi.advanceTimersByTime(1000);
    const after = stderr.text.slice(suspended);
    expect(stripVTControlCharacters(after)).toMatch(/^ {2}FAIL {3}specs\/auth\.md:claims:fast /);
    expect(after).toContain('28/40');
    expect(after.slice(0, after.indexOf('28/40'))).not.toContain(UPWARDS);
    display.close();
  });

  test('a run in the background from its start says that it started, and how it ended', async () => {
    const { stderr, io, display } = await open(100);
    io.isInFront = false;
    display.onEvent(started());
    vi.advanceTimersByTime(1000);
    expect(stderr.lines).toHaveLength(1);
    display.onFinished(OUTCOME);
    display.close();
    expect(stderr.text).toMatch(/^aieval .*\nPASS {2}r-8kq2aaaa/);
  });

  test('a resize clears the rows that a narrower terminal made of the panel, and none where no panel stands', async () => {
    const { stderr, display } = await open(100);
    display.onEvent({ kind: 'documents.progress', done: 1, total: 9, documentId: 'x'.repeat(300) });
    let from = stderr.text.length;
    stderr.resize(60, 24);
    expect(stderr.text.slice(from)).toContain('\u001b[1A\u001b[0J');
    stderr.resize(18, 24);
    from = stderr.text.length;
    stderr.resize(10, 24);
    stderr.resize(100, 24);
    expect(stderr.text.slice(from)).not.toContain('\u001b[0J');
    display.close();
  });

  test('each run of a worker is counted from nothing, however many the one before had', async () => {
    const { stderr, faults, display } = await open(120);
    display.onEvent(started({ jobs: 40 }));
    display.onTotals(numbers());
    display.onFinished(OUTCOME);
    const from = stderr.text.length;
    display.onEvent(started({ runId: 'r-2', jobs: 10 }));
    vi.advanceTimersByTime(600);
    // Of the run before: asked for when that was not over.
    display.onTotals(numbers());
    display.onEvent(ended());
    display.onEvent(ended({ runId: 'r-2', verdict: 'fail' }));
    vi.advanceTimersByTime(600);
    const second = stripVTControlCharacters(stderr.text.slice(from));
    expect(second).toContain('0/10    0%');
    expect(second.slice(second.lastIndexOf('1/10'))).toMatch(/^1\/10 {3}10% {2}█+·+.*\n\s*pass 0 {3}fail 1 /);
    expect(faults).toEqual([]);
    display.close();
  });

  test('when one of two runs is over, the panel of the other comes back below its outcome', async () => {
    const { stderr, display } = await open(120);
    display.onEvent(started({ jobs: 40 }));
    display.onEvent(started({ runId: 'r-2', jobs: 10 }));
    vi.advanceTimersByTime(600);
    expect(stripVTControlCharacters(stderr.text)).toContain('0/50');
    display.onFinished(OUTCOME);
    const from = stderr.text.length;
    vi.advanceTimersByTime(600);
    expect(stripVTControlCharacters(stderr.text.slice(from))).toContain('0/10');
    display.close();
  });

  test('an error in the panel is told to nobody but its listener, once; what happens still scrolls past, and the outcome is told', async () => {
    const { stderr, io, faults, display } = await open(100);
    display.onEvent(started());
    const error = new RangeError('Invalid count value: -9');
    Object.assign(io, {
      now: () => {
        throw error;
      },
    });
    vi.advanceTimersByTime(3000);
    await Promise.resolve();
    expect(faults).toEqual([error]);
    expect(stderr.text.lastIndexOf(SHOW)).toBeGreaterThan(stderr.text.lastIndexOf(HIDE));
    display.onEvent(ended({ verdict: 'fail', explanation: 'e' }));
    expect(stderr.lines.at(-1)).toMatch(/FAIL {3}specs\/auth\.md:claims:fast {2}/);
    display.onFinished(OUTCOME);
    expect(stderr.text).toContain('PASS  r-8kq2aaaa');
  });

  test('nothing is counted before anything is known', async () => {
    const { stderr, display } = await open(100);
    display.onEvent({ kind: 'warning', message: 'w' });
    expect(stderr.text).toBe('warning: w\n');
    display.close();
  });

  test('a warning is told in full', async () => {
    const { stderr, display } = await open(60);
    const message = `the folder /${'deep/'.repeat(30)} is full; aieval gc --older-than 30d makes room`;
    display.onEvent({ kind: 'warning', message });
    expect(stderr.text.replace(/\n/g, '').replace(/ /g, '')).toBe(`warning:${message}`.replace(/ /g, ''));
    for (const line of stderr.lines) expect(columnsOf(line)).toBeLessThanOrEqual(60);
    display.close();
  });

  test('calls that are given up are no retries', async () => {
    const { stderr, display } = await open(100);
    const failure = { class: 'transient', reason: 'cancelled', message: 'given up' } as const;
    display.onEvent({ kind: 'step.retry', runId: 'r-8kq2aaaa', jobId: 'j', label: 'a:b:c', failure, atMs: 0 });
    display.close();
    expect(stderr.text).not.toContain('RETRY');
  });

  test('without colour there are no colour codes, with it there are', async () => {
    for (const colour of [false, true]) {
      const { stderr, display } = await open(100, colour);
      display.onEvent(started());
      display.onEvent(ended({ verdict: 'fail', explanation: 'e' }));
      display.onTotals(numbers());
      vi.advanceTimersByTime(600);
      display.close();
      expect(stderr.text.includes('\u001b[31m')).toBe(colour);
    }
  });

  test('hostile text cannot set the title, move the cursor or break a line', async () => {
    const { stderr, display } = await open(100);
    display.onEvent(started({ name: HOSTILE }));
    display.onEvent(ended({ label: HOSTILE, verdict: 'fail', explanation: HOSTILE }));
    display.onEvent({ kind: 'warning', message: HOSTILE });
    display.close();
    expect(stderr.text).not.toContain('\u001b]0;');
    expect(stderr.text).not.toContain('\u001b[2J');
    expect(stderr.text).not.toContain('\u202e');
    expect(stderr.lines.some((line) => line.startsWith('::'))).toBe(false);
  });
});
