import { expect, test } from 'vitest';
import { attemptLines, showLines } from '../../../src/cli/show/show-screen.ts';
import { painter } from '../../../src/cli/terminal/style.ts';
import type { Coverage } from '../../../src/domain/coverage.ts';
import type { Evidence, Score } from '../../../src/domain/score.ts';
import type { JobRecord } from '../../../src/store/rows.ts';
import { DANGEROUS, HOSTILE } from '../display/sample-events.ts';
import { STARTED_MS, sampleJob, sampleRun } from '../sample-run.ts';

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
        evidence: evidence({
          status: 'rejected',
          tier: null,
          reason: 'altered',
          diff: '20 → 30',
          text: 'within 20 ms of it',
          occurrences: 0,
        }),
        pageClaimed: null,
        pageCorrected: false,
      },
    ],
  };
  const warn: Score = { ...score, check: 'count', type: 'count', severity: 'warn', verdict: 'pass', explanation: '', findings: [] };
  expect(showLines(sampleRun(), record([score, warn]), LOOK).slice(1, 13)).toEqual([
    ' state answered · 1 call, $0.0012 · 1 attempt · 1.0k tokens in, 50 out · 4.2 s · asked again once · JSON repaired',
    '',
    ' FAIL   quotes (evidence)  1 of 2 quotes rejected',
    '   verified verbatim /f/0  page 3 (printed: iii), § Timing, line 12  (2 places)',
    '            "within 20 ms"',
    '            page corrected: 4 → 3',
    '   rejected altered /f/1',
    '            "within 30 ms"',
    '            document → quote: 20 → 30',
    '            document: "within 20 ms of it"',
    '',
    ' PASS   count (warn)',
  ]);
});

const COVERAGE = {
  textSha256: 't',
  extractor: 'pdf:x+norm:1',
  spans: [{ start: 0, end: 8000 }],
  characters: 12_000,
  of: 12_000,
  parts: 3,
  sections: { seen: 4, of: 4, missed: [] },
  pages: { seen: 9, of: 9, missed: [] },
  lostPages: [],
} as const;

function covered(change: Partial<Coverage>): string[] {
  const told = record([]);
  const result = told.job.result === null ? null : { ...told.job.result, coverage: { ...COVERAGE, ...change } };
  return showLines(sampleRun(), { ...told, job: { ...told.job, result } }, LOOK);
}

test('what the model saw of the document is said, and what it could not', () => {
  expect(covered({})[2]).toBe(' Seen by the model: the whole text, 12,000 characters in 3 parts');
  expect(covered({ parts: 1 })[2]).toBe(' Seen by the model: the whole text, 12,000 characters');
  const lostPages = [{ number: 7, label: 'v', why: `cannot be read${HOSTILE}` }];
  const lines = covered({ characters: 8000, sections: { seen: 3, of: 4, missed: ['Costs'] }, lostPages });
  expect(lines[2]).toBe(' Seen by the model: 8,000 of 12,000 characters in 3 parts: only 66 % of its text in a prompt; not section Costs');
  expect(lines[3]).toMatch(/^ Evaluated without page 7 \(printed: v\): cannot be read/);
  expect(lines[3]).not.toMatch(DANGEROUS);
});

const LINE_3 = { page: null, pageLabel: null, section: null, line: 3, start: 0, end: 1 };

test('unseen and elided quotes, those of another document and claims of absence say what is to be known of them', () => {
  const base = { pageClaimed: null, pageCorrected: false };
  const spans = [{ start: 0, end: 4 }];
  const score: Score = {
    check: 'evidence',
    type: 'evidence',
    severity: 'must',
    verdict: 'review',
    value: 0,
    explanation: '',
    findings: [
      { ...base, at: '/f/0', quote: 'a', evidence: evidence({ seen: false }) },
      {
        ...base,
        at: '/f/1',
        quote: 'a … b',
        evidence: evidence({ status: 'elided', tier: null, spans, context: 'the gap', text: 'a the gap b' }),
      },
      {
        ...base,
        at: '/f/2',
        quote: 'c',
        evidence: evidence({ status: 'rejected', tier: null, reason: 'from_other_document', source: 'b.md' }),
      },
      {
        ...base,
        at: '/f/3',
        quote: 'd',
        evidence: evidence({ status: 'near', tier: null, diff: 'x → y', text: 'x', position: LINE_3 }),
        lineClaimed: 7,
        lineCorrected: true,
      },
    ],
    absences: [{ at: '/f/4', searched: ['Scope', 'Costs'], sections: { seen: 2, of: 2 }, whole: true }],
  };
  expect(showLines(sampleRun(), record([score]), LOOK).slice(3, 20)).toEqual([
    ' REVIEW evidence',
    '   verified verbatim /f/0',
    '            "a"',
    '            that place was in no prompt',
    '   elided (parts left out) /f/1',
    '            "a … b"',
    '            document: "a the gap b"',
    '            left out: the gap',
    '   rejected from_other_document (taken from another document) /f/2',
    '            "c"',
    '            it stands in b.md',
    '   near, but not the same /f/3  line 3',
    '            "d"',
    '            document → quote: x → y',
    '            document: "x"',
    '            line corrected: 7 → 3',
    '   absent /f/4  the answer says that the document does not say it',
  ]);
});

test('a cached answer says where it was paid for', () => {
  const origin = { runId: 'r-old', jobId: 'x', costNanoUsd: 5_000_000_000, latencyMs: 1 };
  const cached = { ...record([]), job: sampleJob({ cached: true, origin, calls: 0, costNanoUsd: 0, endedAtMs: null }) };
  expect(showLines(sampleRun(), cached, LOOK)[1]).toContain('from cache (first paid in r-old, $5.00)');
});

test('a document that failed shows why, and what mends it once, on a line of its own', () => {
  const command = `ocrmypdf ${'long/'.repeat(60)}scan.pdf scan-ocr.pdf`;
  const error = { reason: 'document_no_text', message: `no text layer (1 page, 0 characters); next: ${command}` } as const;
  const job = sampleJob({ state: 'failed', verdict: 'error', result: null, error, calls: 0, attempts: 0, endedAtMs: null });
  const lines = showLines(sampleRun(), { job, steps: [], attempts: [], calls: [] }, LOOK);
  expect(lines).toContain(' document_no_text: no text layer (1 page, 0 characters)');
  expect(lines.filter((line) => line.includes('ocrmypdf'))).toEqual([` next: ${command}`]);
  // Nothing was asked and nothing tried, so there is nothing more to show.
  expect(lines.join('\n')).not.toMatch(/--prompt|--raw|--attempts|retry/);
});

test('the attempts of a cached answer say where the calls are', () => {
  const origin = { runId: 'r-old', jobId: 'x'.repeat(26), costNanoUsd: 1, latencyMs: 1 };
  const cached = { ...record([]), job: sampleJob({ cached: true, origin }) };
  expect(attemptLines(cached, LOOK).at(-1)).toBe('next: aieval show xxxxxxxx --run r-old --attempts: the calls of the answer');
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
    findings: [
      {
        at: HOSTILE,
        quote: HOSTILE,
        evidence: evidence({ status: 'near', diff: HOSTILE, text: HOSTILE, context: HOSTILE, source: HOSTILE }),
        pageClaimed: null,
        pageCorrected: false,
      },
    ],
    absences: [{ at: HOSTILE, searched: [HOSTILE], sections: { seen: 1, of: 1 }, whole: true }],
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
    part: null,
    prompt: null,
    paidBy: null,
  } as const;
  const [head, first, second, , message] = attemptLines({ job: sampleJob(), steps: [step], attempts, calls: [call] }, LOOK);
  expect(head).toMatch(/^STEP +TRY +OUTCOME +REASON +STARTED +TOOK +CALL +COST$/);
  expect(first).toMatch(/^answer +1 +failed +timeout +2026-11-\d\d \d\d:\d\d +2m00s +unknown +unknown$/);
  expect(second).toMatch(/^\? +1 +lost/);
  expect(message).toBe(' answer try 1: no answer');
  expect(attemptLines(record([]), LOOK)).toEqual(['No attempt yet.']);
});

const QUOTES: Score = { check: 'evidence', type: 'evidence', severity: 'must', verdict: 'pass', value: 1, explanation: '', findings: [] };
const NO_CLAIM = { pageClaimed: null, pageCorrected: false };

test('what the answer says beside a quote stands under it, once for quotes of one object, and is harmless', () => {
  const beside = { severity: 'high', problem: 'No upper bound.', sure: true };
  const findings = [
    { ...NO_CLAIM, at: '/f/0/quotes/0', quote: 'a', evidence: evidence({}), beside },
    { ...NO_CLAIM, at: '/f/0/quotes/1', quote: 'b', evidence: evidence({}), beside: { ...beside } },
    { ...NO_CLAIM, at: '/f/1/quotes/0', quote: 'c', evidence: evidence({}), beside: { [HOSTILE]: HOSTILE } },
  ];
  const lines = showLines(sampleRun(), record([{ ...QUOTES, findings }]), LOOK);
  expect(lines.slice(3, 11)).toEqual([
    ' PASS   evidence',
    '   verified verbatim /f/0/quotes/0',
    '            "a"',
    '            severity: high',
    '            problem: No upper bound.',
    '            sure: true',
    '   verified verbatim /f/0/quotes/1',
    '            "b"',
  ]);
  for (const line of lines) expect(line).not.toMatch(DANGEROUS);
});

test('a quote that ends, or begins, where the document has no space says with what', () => {
  const text = 'It grew (P < 0.01).Table 2 shows how.';
  const cutAt = (start: number, end: number): string => {
    const position = { page: null, pageLabel: null, section: null, line: 1, start, end };
    const quote = text.slice(start, end);
    const findings = [{ ...NO_CLAIM, at: '/f', quote, evidence: evidence({ position, text: quote, marks: ['boundary'] }) }];
    const content = { text, pages: [] };
    return showLines(sampleRun(), record([{ ...QUOTES, findings }]), LOOK, { open: null, content, hasResponse: true }).join('\n');
  };
  const glue = text.indexOf('Table');
  expect(cutAt(0, glue)).toContain(`            cut at its end: the document goes on "0.01).Table"\n`);
  expect(cutAt(0, glue)).not.toContain('where the document has no space');
  expect(cutAt(glue, text.length)).toContain(`            cut at its start: the document has "0.01).Table"\n`);
});

test('prompt and answer are offered only where an answer came', () => {
  const more = (hasResponse: boolean) => showLines(sampleRun(), record([]), LOOK, { open: null, content: null, hasResponse }).join('\n');
  expect(more(true)).toMatch(/more: .*--prompt.*--raw/);
  expect(more(false)).not.toMatch(/--prompt|--raw/);
});

test.each([
  ['queued', 'queued'],
  ['running', 'running'],
  ['succeeded', 'answered'],
  ['failed', 'not evaluated'],
  ['cancelled', 'cancelled'],
] as const)('a job that is %s is called %s', (state, word) => {
  const told = { ...record([]), job: sampleJob({ state, verdict: null, result: null, endedAtMs: null }) };
  expect(showLines(sampleRun(), told, LOOK)[1]).toMatch(new RegExp(`^ state ${word} · `));
});
