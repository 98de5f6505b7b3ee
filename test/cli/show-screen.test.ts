import { expect, test } from 'vitest';
import { attemptLines, showLines } from '../../src/cli/show-screen.ts';
import { painter } from '../../src/cli/terminal/style.ts';
import type { Evidence, Score } from '../../src/domain/score.ts';
import type { JobRecord } from '../../src/store/rows.ts';
import { DANGEROUS, HOSTILE } from './display/sample-events.ts';
import { STARTED_MS, sampleJob, sampleRun } from './sample-run.ts';

const LOOK = { columns: 120, paint: painter(false) };

function evidence(change: Partial<Evidence>): Evidence {
  return { status: 'verified', tier: 'verbatim', reason: null, diff: null, occurrences: 1, position: null, text: null, ...change };
}

function record(scores: readonly Score[], answer = 'text'): JobRecord {
  const result = { verdict: 'fail', scores, answer, repaired: true, reasked: true, mode: null, callToken: 't' } as const;
  return { job: sampleJob({ verdict: 'fail', result, endedAtMs: null }), steps: [], attempts: [], calls: [] };
}

test('every quote stands with its place, or with why it has none', () => {
  const position = { page: 3, pageLabel: 'iii', section: 'Timing', line: 12, start: 0, end: 9 };
  const score: Score = {
    check: 'quotes',
    type: 'evidence',
    severity: 'must',
    verdict: 'fail',
    value: 0,
    explanation: '1 of 2 quotes rejected',
    findings: [
      { at: '/f/0', quote: 'within 20 ms', evidence: evidence({ position, occurrences: 2 }), pageClaimed: 4, pageCorrected: true },
      {
        at: '/f/1',
        quote: 'within 30 ms',
        evidence: evidence({ status: 'rejected', tier: null, reason: 'altered', diff: '30 → 20', occurrences: 0 }),
        pageClaimed: null,
        pageCorrected: false,
      },
    ],
  };
  const warn: Score = { ...score, check: 'count', type: 'count', severity: 'warn', verdict: 'pass', explanation: '', findings: [] };
  expect(showLines(sampleRun(), record([score, warn]), LOOK).slice(1, 12)).toEqual([
    ' succeeded · 1 call, $0.0012 · 1 attempt · 1.0k tokens in, 50 out · 4.2 s · asked again once · JSON repaired',
    '',
    ' FAIL   quotes (evidence)  1 of 2 quotes rejected',
    '   verified verbatim /f/0  page 3 (iii), § Timing, line 12  (2 places)  (the answer said page 4)',
    '            "within 20 ms"',
    '   rejected altered /f/1',
    '            "within 30 ms"',
    '            document: 30 → 20',
    '',
    ' PASS   count (warn)',
    '',
  ]);
});

test('a cached answer says where it was paid for', () => {
  const origin = { runId: 'r-old', jobId: 'x', costNanoUsd: 5_000_000_000, latencyMs: 1 };
  const cached = { ...record([]), job: sampleJob({ cached: true, origin, calls: 0, costNanoUsd: 0, endedAtMs: null }) };
  expect(showLines(sampleRun(), cached, LOOK)[1]).toContain('from cache (first paid in r-old, $5.00)');
});

test('a long answer is cut, and hostile text neither escapes nor breaks out of its line', () => {
  const long = showLines(sampleRun(), record([], 'line\n'.repeat(100)), LOOK);
  expect(long).toContain('   … 61 more lines');
  const hostile: Score = {
    check: HOSTILE,
    type: 'evidence',
    severity: 'must',
    verdict: 'fail',
    value: null,
    explanation: HOSTILE,
    findings: [{ at: HOSTILE, quote: HOSTILE, evidence: evidence({ diff: HOSTILE }), pageClaimed: null, pageCorrected: false }],
  };
  const lines = showLines(sampleRun(), record([hostile], `${HOSTILE}\nSee ##vso[task.complete]`), LOOK);
  for (const line of lines) {
    expect(line).not.toMatch(DANGEROUS);
    expect(line).not.toMatch(/^\s*::|##\w*\[/);
  }
});

test('attempts name their step, their failure and what the call cost', () => {
  const failure = { class: 'transient', reason: 'timeout', message: 'no answer' } as const;
  const attempts = [
    { stepId: 1, number: 1, callToken: 'a', outcome: 'failed', failure, startedAtMs: STARTED_MS, endedAtMs: STARTED_MS + 120_000 } as const,
    { stepId: 9, number: 1, callToken: null, outcome: 'lost', failure: null, startedAtMs: STARTED_MS, endedAtMs: STARTED_MS } as const,
  ];
  const call = { callToken: 'a', stepId: 1, state: 'unknown', usage: null, costNanoUsd: null, sentAtMs: null, settledAtMs: null } as const;
  const step = {
    stepId: 1,
    kind: 'answer',
    index: 0,
    key: null,
    state: 'queued',
    outcome: null,
    runAtMs: 0,
    callToken: null,
    leaseOwner: null,
    leaseExpiresAtMs: null,
    keyRecord: null,
  } as const;
  const [head, first, second] = attemptLines({ job: sampleJob(), steps: [step], attempts, calls: [call] }, LOOK);
  expect(head).toMatch(/^STEP +TRY +OUTCOME +REASON +STARTED +TOOK +CALL +COST +MESSAGE$/);
  expect(first).toMatch(/^answer +1 +failed +timeout +2026-11-\d\d \d\d:\d\d +2m00s +unknown +unknown +no answer$/);
  expect(second).toMatch(/^\? +1 +lost/);
  expect(attemptLines(record([]), LOOK)).toEqual(['No attempt yet.']);
});
