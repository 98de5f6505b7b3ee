import { readFileSync } from 'node:fs';
import type { CanonicalText } from '../../../src/domain/document.ts';
import { positionOf } from '../../../src/domain/document.ts';
import type { ResultLine, RunHeader } from '../../../src/domain/result-line.ts';
import type { Evidence, Finding, Score } from '../../../src/domain/score.ts';
import type { ReportDocument, ReportIndex, ReportJob, ReportMessage } from '../../../src/report/html/report-data.ts';
import { reportHtml } from '../../../src/report/html/report-html.ts';
import { reportRow } from '../../../src/report/html/report-row.ts';
import { summarize } from '../../../src/report/summarize.ts';
import { absence, coverage, header, line, score } from '../sample.ts';

const PAGE = new URL('../../../dist/report/page/', import.meta.url);

/** A text as documents have it: one section per line that starts with `#`. */
export function canonical(text: string): CanonicalText {
  const start = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) start.push(at + 1);
  const headings = start.filter((at) => text.startsWith('# ', at));
  return {
    format: 'markdown',
    extractor: 'md@1+norm:1',
    title: null,
    text,
    textSha256: 't'.repeat(64),
    pages: [],
    sections: headings.map((at, index) => ({
      start: at,
      end: headings[index + 1] ?? text.length,
      level: 1,
      title: text.slice(at + 2, text.indexOf('\n', at)),
    })),
    blocks: [],
    lostPages: [],
    lines: { start, number: start.map((_, index) => index + 1) },
    warnings: [],
  };
}

/** A quote that stands in the text, at its place; `over` says what it is worth. */
export function found(content: CanonicalText, words: string, over: Partial<Evidence> = {}, quote = words): Finding {
  const start = content.text.indexOf(words);
  if (start < 0) throw new Error(`the sample has no ${JSON.stringify(words)}`);
  const end = start + words.length;
  return {
    at: '/findings/0/quote',
    quote,
    evidence: {
      status: 'verified',
      tier: 'verbatim',
      reason: null,
      diff: null,
      occurrences: 1,
      position: positionOf(content, start, end),
      text: words,
      ...over,
    },
    pageClaimed: null,
    pageCorrected: false,
  };
}

/** A quote that stands nowhere. */
export function missing(quote: string, over: Partial<Evidence> = {}): Finding {
  return {
    at: '/findings/1/quote',
    quote,
    evidence: {
      status: 'rejected',
      tier: null,
      reason: 'not_found',
      diff: null,
      occurrences: 0,
      position: null,
      text: null,
      ...over,
    },
    pageClaimed: null,
    pageCorrected: false,
  };
}

export type PageSample = {
  readonly header: RunHeader;
  readonly lines: readonly ResultLine[];
  readonly documents: readonly (ReportDocument | null)[];
  readonly strings: readonly string[];
  readonly jobsPerBlock: number;
  readonly notes: readonly string[];
  readonly artifactsBase: string | null;
  /** What is known of a job beside its line. */
  readonly detail: (line: ResultLine) => Partial<ReportJob>;
};

/** The report as `aieval report` writes it, with the built page. */
export async function pageOf(sample: PageSample): Promise<string> {
  const { header: run, lines, documents, strings, jobsPerBlock, notes, artifactsBase } = sample;
  const places = new Map(run.documents.map(({ id }, place) => [id, place]));
  const index: ReportIndex = {
    v: 1,
    summary: summarize(run, lines),
    jobs: lines.map((each) => reportRow(each, places.get(each.document) ?? 0)),
    documents: run.documents.map(({ id, pages, characters, warnings, error }, place) => ({
      ...{ id, pages, characters, warnings, error },
      text: (documents[place] ?? null) !== null,
    })),
    jobsPerBlock,
    notes,
    artifactsBase,
  };
  async function* texts() {
    for (const [place, document] of documents.entries()) if (document !== null) yield { place, document };
  }
  async function* jobs() {
    for (const each of lines) yield jobOf(each, sample.detail(each));
  }
  const assets = { script: readFileSync(new URL('page.js', PAGE), 'utf8'), style: readFileSync(new URL('page.css', PAGE), 'utf8') };
  const pieces: string[] = [];
  for await (const piece of reportHtml({ index, documents: texts(), jobs: jobs(), strings: () => strings, assets })) pieces.push(piece);
  return pieces.join('');
}

function jobOf(each: ResultLine, over: Partial<ReportJob>): ReportJob {
  const { jobId, scores, error, repaired, reasked, usage, origin, artifacts } = each;
  return {
    ...{ jobId, scores, error, repaired, reasked, usage, artifacts },
    coverage: each.coverage ?? null,
    origin: origin && { runId: origin.runId, jobId: origin.jobId, costUsd: origin.costUsd },
    answer: { findings: [] },
    steps: [],
    attempts: [],
    ...over,
  };
}

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

const TASKS = ['claims', 'ambiguity', 'citations', 'limits'];
const MODELS = ['fast', 'local'];
const REASONS = ['timeout', 'rate_limited', 'input_too_long'] as const;

/** Many jobs of every kind: documents × 4 tasks × 2 models. */
export function largeSample(documentCount: number): PageSample {
  const chance = sequence();
  const documents = Array.from(
    { length: documentCount },
    (_, index) => `specs/part-${String(index % 40).padStart(2, '0')}/document-${String(index).padStart(4, '0')}.md`,
  );
  const lines = documents.flatMap((document) => TASKS.flatMap((task) => MODELS.map((model) => manyLine(document, task, model, chance))));
  return {
    ...smallSample(),
    header: header({
      documents: documents.map((id) => ({
        id,
        bytesSha256: 'b'.repeat(64),
        textSha256: 't'.repeat(64),
        pages: null,
        characters: SPEC_TEXT.length,
        warnings: [],
        error: null,
      })),
      tasks: Object.fromEntries(TASKS.map((task) => [task, { repeats: 1, aggregate: 'majority' as const }])),
      jobs: lines.length,
      budget: { usd: { limit: 50, used: 31.4 }, tokens: null },
    }),
    lines,
    documents: documents.map(() => ({ excerpts: [{ start: 0, text: SPEC_TEXT.slice(0, 3000), line: 1, page: null }] })),
    jobsPerBlock: 100,
    detail: () => ({}),
  };
}

/** Numbers in [0, 1) that are the same every time. */
function sequence(): () => number {
  let state = 42;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

function manyLine(document: string, task: string, model: string, chance: () => number): ResultLine {
  const jobId = `j${document.slice(-7, -3)}${task}${model}`.replaceAll(/[^a-z0-9]/g, '').padEnd(26, 'a');
  const base = {
    jobId,
    document,
    task,
    model,
    costUsd: chance() / 50,
    latencyMs: Math.round(800 + chance() ** 3 * 40_000),
    cached: chance() < 0.3,
  };
  const luck = chance() * (task === 'claims' ? 1.3 : 1) * (model === 'local' ? 1.2 : 1);
  const verified = found(spec, 'A server MAY refuse a request that is larger than 64 kB.');
  if (luck > 1.3)
    return line({
      ...base,
      state: 'failed',
      verdict: 'error',
      cached: false,
      latencyMs: null,
      attempts: 3,
      error: { reason: REASONS[Math.floor(chance() * 3)] ?? 'timeout', message: 'no answer in 120 s' },
    });
  if (luck > 1)
    return line({
      ...base,
      verdict: 'fail',
      scores: [
        score({
          verdict: 'fail',
          explanation: '1 of 2 quotes is not in the document',
          findings: [verified, missing('A server may refuse anything.')],
        }),
      ],
    });
  if (luck > 0.93)
    return line({
      ...base,
      verdict: 'review',
      scores: [
        score({
          verdict: 'review',
          explanation: '1 of 1 quotes is near',
          findings: [{ ...verified, evidence: { ...verified.evidence, status: 'near' } }],
        }),
      ],
    });
  return line({ ...base, scores: [score({ findings: [verified] })] });
}
