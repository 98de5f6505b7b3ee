import type { ResultLine } from '../../../src/domain/result-line.ts';
import { header, line, score } from '../sample.ts';
import type { PageSample } from './page-of.ts';
import { canonical, found, missing } from './quoted.ts';
import { SPEC_TEXT, smallSample } from './small-sample.ts';

const spec = canonical(SPEC_TEXT);

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
