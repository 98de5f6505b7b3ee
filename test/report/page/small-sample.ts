import type { Score } from '../../../src/domain/score.ts';
import type { ReportMessage } from '../../../src/report/html/report-data.ts';
import { absence, coverage, header, line, score } from '../sample.ts';
import type { PageSample } from './page-of.ts';
import { canonical, found, missing } from './quoted.ts';

/** Characters of two UTF-16 units and characters of several code points stand before and inside what is quoted. */
export const SPEC_TEXT = [
  '# Retry 🔁',
  'The client 👩‍💻 MUST wait 1023 ms before it retries 🕐.',
  '',
  'Cafe\u0301 na\u00efve re\u0301sume\u0301: combining marks are part of this line.',
  ...Array.from({ length: 60 }, (_, index) => `Filler line ${index + 1}: nothing is quoted from here.`),
  '# Limits',
  'A server MAY refuse a request that is larger than 64 kB.',
  'Requests are counted per minute. Requests above the limit are answered with 429.',
  ...Array.from({ length: 40 }, (_, index) => `Further line ${index + 1}.`),
  '# Hidden',
  'Safe \u202egnp.exe\u202c name, zero\u200bwidth and <script>alert(1)</script><img src=x onerror=alert(1)>.',
  'w'.repeat(10_000),
  'The last line says: done.',
].join('\n');

const spec = canonical(SPEC_TEXT);

const evidenceScore: Score = score({
  verdict: 'fail',
  explanation: '2 of 6 quotes are not in the document',
  findings: [
    {
      ...found(spec, 'A server MAY refuse a request that is larger than 64 kB.'),
      beside: {
        problem: 'MAY leaves it open <b>which</b> server \u202e refuses',
        severity: 'major',
        suggestion: 'Say MUST.',
        blocking: true,
      },
    },
    found(
      spec,
      '👩‍💻 MUST wait 1023 ms',
      { status: 'rejected', tier: null, reason: 'altered', diff: '1023 → 1032' },
      '👩‍💻 MUST wait 1032 ms',
    ),
    found(spec, 'Cafe\u0301 na\u00efve re\u0301sume\u0301'),
    found(
      spec,
      'Requests are counted per minute. Requests above the limit are answered with 429.',
      {
        status: 'near',
        tier: null,
        diff: 'answered → responded to',
      },
      'Requests are counted per minute. Requests above the limit are responded to with 429.',
    ),
    found(spec, 'gnp.exe\u202c name, zero\u200bwidth and <script>alert(1)</script>', { tier: 'normalised' }),
    { ...missing('Clients may skip the checksum <b>entirely</b> \u202eevil'), beside: { problem: 'no checksum', severity: 'minor' } },
  ],
  absences: [absence()],
});

const HOSTILE_ANSWER = {
  findings: [{ quote: '<script>alert(1)</script>', note: '\u202e reversed \u0000 NUL', long: 'x'.repeat(10_000) }],
};

const messages: readonly ReportMessage[] = [
  { role: 'system', pieces: [0] },
  { role: 'user', pieces: [1, { start: 0, end: SPEC_TEXT.length }, 2] },
];

const IDS = {
  failed: `jfailed${'a'.repeat(19)}`,
  passed: `jpassed${'a'.repeat(19)}`,
  broken: `jbroken${'a'.repeat(19)}`,
  untold: `juntold${'a'.repeat(19)}`,
};

const ONE_REPEAT = { claims: { repeats: 1, aggregate: 'majority' as const }, ambiguity: { repeats: 1, aggregate: 'majority' as const } };

/** Four jobs, one of each kind, with everything that a person may want to look at. */
export function smallSample(over: Partial<PageSample> = {}): PageSample {
  const documents = ['spec/retry.md', 'spec/scan.pdf', 'spec/<img src=x onerror=alert(1)>\u202e.md'].map((id, place) => ({
    id,
    bytesSha256: 'b'.repeat(64),
    textSha256: place === 1 ? null : 't'.repeat(64),
    pages: place === 1 ? 12 : null,
    characters: place === 0 ? SPEC_TEXT.length : 1000,
    warnings: place === 2 ? ['two headings have one name'] : [],
    error: place === 1 ? { reason: 'document_no_text' as const, message: 'no text layer (12 pages)' } : null,
  }));
  return {
    header: header({ documents, jobs: 4, tasks: ONE_REPEAT, budget: { usd: { limit: 3, used: 0.01 }, tokens: null } }),
    lines: [
      line({
        jobId: IDS.failed,
        document: 'spec/retry.md',
        verdict: 'fail',
        scores: [
          evidenceScore,
          score({ check: 'count', type: 'count', verdict: 'fail', value: 5, explanation: 'Expected at most 3, got 5', findings: [] }),
          score({ check: 'schema', type: 'schema', findings: [] }),
        ],
        coverage: coverage({ characters: 500, of: 1000, sections: { seen: 2, of: 3, missed: ['Hidden'] } }),
        attempts: 2,
      }),
      line({
        jobId: IDS.passed,
        document: 'spec/retry.md',
        task: 'ambiguity',
        cached: true,
        costUsd: 0,
        origin: { runId: 'r-old', jobId: 'jold', costUsd: 0.004, latencyMs: 900 },
      }),
      line({
        jobId: IDS.broken,
        document: 'spec/scan.pdf',
        state: 'failed',
        verdict: 'error',
        error: { reason: 'document_no_text', message: 'no text layer (12 pages)' },
        costUsd: null,
        latencyMs: null,
        attempts: 0,
        calls: 0,
        artifacts: null,
      }),
      line({
        jobId: IDS.untold,
        document: documents[2]?.id ?? '',
        task: 'ambiguity',
        model: 'local',
        verdict: 'review',
        scores: [score({ verdict: 'review', explanation: 'near <script>alert(2)</script> \u202e', findings: [missing('near')] })],
        costUsd: 0.0123,
        latencyMs: 45_000,
      }),
    ],
    documents: [{ excerpts: [{ start: 0, text: SPEC_TEXT, line: 1, page: null }] }, null, null],
    strings: ['You check specifications.', 'Document:\n', '\nList what is wrong. <script>alert(3)</script>'],
    jobsPerBlock: 2,
    notes: ['raw answers left out: the file would be larger than 20 MB'],
    artifactsBase: 'runs/r-8kq2/',
    detail: ({ jobId }) =>
      jobId === IDS.failed
        ? {
            answer: HOSTILE_ANSWER,
            steps: [{ name: 'answer', kind: 'answer', messages, raw: 'Sure! ```json {}```' }],
            attempts: [
              {
                step: 'answer',
                number: 1,
                outcome: 'failed',
                reason: 'timeout',
                message: 'no answer in 120 s',
                startedAt: '2026-11-01T13:12:31.000Z',
                tookMs: 120_000,
                costUsd: null,
              },
              {
                step: 'answer',
                number: 2,
                outcome: 'succeeded',
                reason: null,
                message: null,
                startedAt: '2026-11-01T13:14:32.000Z',
                tookMs: 1200,
                costUsd: 0.002,
              },
            ],
          }
        : {},
    ...over,
  };
}

/** Ids of the jobs of the small sample. */
export const SMALL_IDS = IDS;
