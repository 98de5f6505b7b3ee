import { describe, expect, test } from 'vitest';
import { createDisplay } from '../../../src/cli/display/create-display.ts';
import type { RunOutcome } from '../../../src/cli/display/outcome.ts';
import { resolveGlobals } from '../../../src/cli/globals.ts';
import type { EngineEvent } from '../../../src/engine/events.ts';
import { fakeIo } from '../fake-io.ts';
import { STARTED_MS, sampleRun, sampleTotals } from '../sample-run.ts';
import { ended, started } from './sample-events.ts';

const HOSTILE = [
  '::set-output name=a::b',
  '\n::stop-commands::x',
  '\r\n::error::owned',
  '##[group]owned',
  '\u2028::warning::owned',
  '\u0085::notice::owned',
  '\r::add-mask::x',
];

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

const EVENTS: readonly EngineEvent[] = [
  started(),
  ...HOSTILE.flatMap((text): EngineEvent[] => [
    { kind: 'warning', message: text },
    ended({ label: text, verdict: 'fail', explanation: text }),
    { kind: 'document.failed', documentId: text, reason: 'document_broken', message: text },
  ]),
];

async function shown(env: Record<string, string>, flags: Parameters<typeof resolveGlobals>[0] = {}) {
  const { globals } = resolveGlobals(flags, fakeIo({ env }));
  const io = fakeIo({ env });
  const display = await createDisplay(globals, io);
  for (const event of EVENTS) display.onEvent(event);
  return { io, display };
}

/** As a runner sees lines: at every end of a line that any program knows. */
function physicalLines(text: string): string[] {
  return text.split(/\r\n|[\n\r\u0085\u2028\u2029]/).slice(0, -1);
}

describe('in a workflow of GitHub Actions', () => {
  test('the detail stands in one group, the outcome after it, and nothing but our own commands begins a line', async () => {
    const { io, display } = await shown({ GITHUB_ACTIONS: 'true', CI: 'true' });
    display.onFinished(OUTCOME);
    display.close();
    const lines = physicalLines(io.stderr.text);
    expect(lines[0]).toBe('::group::aieval: what happened');
    expect(lines.filter((line) => line.startsWith('::'))).toEqual(['::group::aieval: what happened', '::endgroup::']);
    for (const line of lines.filter((line) => !line.startsWith('::'))) {
      expect(line).toMatch(/^│ /);
      expect(line).not.toContain('##[');
    }
    expect(lines.at(-1)).toMatch(/^│ {3}Saved /);
    expect(lines).toHaveLength(EVENTS.length + 2 + 4);
  });

  test('a group is closed when the run breaks off', async () => {
    const { io, display } = await shown({ GITHUB_ACTIONS: 'true', CI: 'true' });
    display.close();
    display.close();
    expect(io.stderr.text.match(/::endgroup::/g)).toHaveLength(1);
  });
});

describe('--log-format json', () => {
  test('gives every event as one object on one line, with its level and the names of the design', async () => {
    const { io, display } = await shown({}, { logFormat: 'json' });
    display.onFinished(OUTCOME);
    const lines = physicalLines(io.stderr.text);
    expect(lines).toHaveLength(EVENTS.length + 1);
    const records = lines.map((line) => JSON.parse(line));
    expect(records[0]).toMatchObject({ v: 1, ts: '2026-11-29T13:12:30.000Z', level: 'info', event: 'run.started', jobs: 40 });
    expect(records[2]).toMatchObject({ level: 'warn', event: 'job.fail', job: 'j3f9aaaa' });
    expect(records.at(-1)).toMatchObject({ event: 'run.finished', run: 'r-8kq2aaaa', verdict: 'pass', exit: 0 });
    for (const line of lines) expect(line).not.toContain('##[');
  });

  test('also on a terminal and in a workflow', async () => {
    const { io } = await shown({ GITHUB_ACTIONS: 'true' }, { logFormat: 'json', display: 'plain' });
    expect(io.stderr.lines.every((line) => line.startsWith('{"v":1,'))).toBe(true);
  });
});
