import type { RunNumbers } from '../../../src/cli/display/progress.ts';
import type { EngineEvent } from '../../../src/engine/events.ts';
import type { RunTotals } from '../../../src/store/rows.ts';
import { sampleTotals } from '../sample-run.ts';

type Of<Kind extends EngineEvent['kind']> = Extract<EngineEvent, { kind: Kind }>;

export function started(change: Partial<Of<'run.started'>> = {}): Of<'run.started'> {
  return {
    kind: 'run.started',
    runId: 'r-8kq2aaaa',
    name: 'spec-review',
    joined: false,
    jobs: 40,
    cached: 8,
    outDir: '/home/ann/spec/.aieval/runs/r-8kq2aaaa',
    filesHere: true,
    ...change,
  };
}

export function ended(change: Partial<Of<'job.ended'>> = {}): Of<'job.ended'> {
  return {
    kind: 'job.ended',
    runId: 'r-8kq2aaaa',
    jobId: 'j3f9aaaaaaaaaaaaaaaaaaaaaa',
    label: 'specs/auth.md:claims:fast',
    state: 'succeeded',
    verdict: 'pass',
    cached: false,
    error: null,
    explanation: null,
    ...change,
  };
}

/** What is told of the only run at work. */
export function numbers(change: Partial<RunTotals> = {}, runId = 'r-8kq2aaaa'): readonly RunNumbers[] {
  return [{ runId, totals: sampleTotals(change) }];
}

/** Text as an attacker would have it: title, colour, cursor, bidi, a CI command on a line of its own. */
export const HOSTILE = 'x\u001b]0;owned\u0007\u001b[31m\u001b[2J\n::set-output name=a::b\r\u202eevil';

/** What none of our output may hold when it is not coloured. */
export const DANGEROUS = /[^\P{Cc}\n]|\u202e/u;
