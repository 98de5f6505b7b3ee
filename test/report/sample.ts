import type { ResultLine, RunHeader } from '../../src/domain/result-line.ts';
import type { Absence, Evidence, Finding, Score } from '../../src/domain/score.ts';
import type { CoverageFacts } from '../../src/report/summary.ts';

/** A finished run of five documents; `over` changes parts of it. */
export function header(over: Partial<RunHeader> = {}): RunHeader {
  return {
    v: 1,
    kind: 'run',
    run: {
      id: 'r-8kq2',
      name: 'spec-review',
      state: 'finished',
      startedAt: '2026-11-01T13:12:30.000Z',
      finishedAt: '2026-11-01T13:48:30.000Z',
    },
    version: '0.1.0',
    manifest: 'manifest.json',
    gate: { minPassRate: 0.8, maxErrorRate: 0 },
    tasks: { claims: { repeats: 1, aggregate: 'majority' }, ambiguity: { repeats: 3, aggregate: 'majority' } },
    models: { fast: { provider: 'openai', model: 'gpt-5-mini' }, local: { provider: 'openai', model: 'qwen3-32b' } },
    documents: ['a.md', 'b.md', 'c.pdf', 'd.html', 'e.txt'].map((id) => ({
      id,
      bytesSha256: 'b'.repeat(64),
      textSha256: 't'.repeat(64),
      pages: null,
      characters: 1000,
      warnings: [],
      error: null,
    })),
    jobs: 0,
    ...over,
  };
}

/** A passed job of one call; `over` changes parts of it. */
export function line(over: Partial<ResultLine> = {}): ResultLine {
  const jobId = over.jobId ?? 'j3f9abcdefghijklmnopqrstuv';
  // In its place, as `resultLine` puts it.
  const { coverage: told, ...rest } = over;
  return {
    v: 1,
    jobId,
    document: 'a.md',
    task: 'claims',
    model: 'fast',
    repeat: 0,
    state: 'succeeded',
    verdict: 'pass',
    scores: [],
    usage: { uncachedInput: 1000, cacheRead: 0, cacheWrite: 0, output: 100, reasoning: 0 },
    costUsd: 0.002,
    calls: 1,
    attempts: 1,
    retries: 0,
    cached: false,
    repaired: false,
    reasked: false,
    latencyMs: 1200,
    ...(told === undefined ? {} : { coverage: told }),
    origin: null,
    error: null,
    artifacts: `jobs/${jobId}`,
    ...rest,
  };
}

function evidence(over: Partial<Evidence> = {}): Evidence {
  return {
    status: 'verified',
    tier: 'verbatim',
    reason: null,
    diff: null,
    occurrences: 1,
    position: { page: null, pageLabel: null, section: '4.2 Retry', line: 88, start: 100, end: 120 },
    text: 'The server MUST retry',
    ...over,
  };
}

export function finding(over: Partial<Evidence> = {}, quote = 'The server MUST retry'): Finding {
  return { at: '/findings/0/quote', quote, evidence: evidence(over), pageClaimed: null, pageCorrected: false };
}

export function score(over: Partial<Score> = {}): Score {
  return {
    check: 'evidence',
    type: 'evidence',
    severity: 'must',
    verdict: 'pass',
    value: 1,
    explanation: '',
    findings: [finding()],
    ...over,
  };
}

export const altered = finding(
  {
    status: 'rejected',
    tier: null,
    reason: 'altered',
    diff: '1023 → 1032',
    position: { page: 3, pageLabel: 'iii', section: null, line: 14, start: 5, end: 30 },
    text: 'offset of the 1032 byte register',
  },
  'offset of the 1023 byte register',
);

export const invented = finding(
  { status: 'rejected', tier: null, reason: 'not_found', occurrences: 0, position: null, text: null },
  'Clients may skip the checksum',
);

/** A failed job with an altered and an invented quote. */
export function failed(over: Partial<ResultLine> = {}): ResultLine {
  const scores = [
    score({ verdict: 'fail', value: 1, explanation: '2 of 3 quotes are not in the document', findings: [finding(), altered, invented] }),
    score({ check: 'count', type: 'count', verdict: 'fail', value: 5, explanation: 'Expected at most 3, got 5', findings: [] }),
  ];
  return line({ verdict: 'fail', scores, ...over });
}

/** A job that ended in the DLQ. */
export function broken(over: Partial<ResultLine> = {}): ResultLine {
  return line({
    state: 'failed',
    verdict: 'error',
    error: { reason: 'timeout', message: 'no answer in 120 s' },
    costUsd: null,
    calls: 3,
    attempts: 3,
    retries: 2,
    latencyMs: null,
    ...over,
  });
}

/** A document of 12 pages that was asked whole; `over` changes parts of it. */
export function coverage(over: Partial<CoverageFacts> = {}): CoverageFacts {
  return {
    textSha256: 't'.repeat(64),
    extractor: 'pdf:embedpdf@2.15.1+norm:1',
    characters: 1000,
    of: 1000,
    parts: 1,
    sections: { seen: 3, of: 3, missed: [] },
    pages: { seen: 12, of: 12, missed: [] },
    lostPages: [],
    ...over,
  };
}

/** A claim that the document does not say something, after all of it was searched; `over` changes parts of it. */
export function absence(over: Partial<Absence> = {}): Absence {
  return { at: '/limits/0/quote', searched: ['Scope', 'Retry'], sections: { seen: 2, of: 2 }, whole: true, ...over };
}
