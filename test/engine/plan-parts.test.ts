import { describe, expect, test } from 'vitest';
import { LongReduces } from '../../src/cli/plan/too-long.ts';
import { estimateCount } from '../../src/documents/tokens.ts';
import { sha256Hex } from '../../src/domain/canonical-json.ts';
import type { CanonicalText } from '../../src/domain/document.ts';
import type { ChunkRule, MergeRule, ResolvedManifest, ResolvedModel, ResolvedTask } from '../../src/domain/manifest/resolved.ts';
import { planJobs } from '../../src/engine/plan.ts';
import { callsOf, estimates, sumCalls } from '../../src/engine/plan-cost.ts';
import { renderMessages } from '../../src/engine/prompt.ts';
import type { ReadDocument } from '../../src/engine/read-documents.ts';
import type { NewJob } from '../../src/store/plan-rows.ts';
import type { OutputMean } from '../../src/store/rows.ts';
import { MANIFEST } from '../cli/sample-run.ts';

const ROUTE = { endpoint: 'http://127.0.0.1:1/v1', laneId: 'lane', accountId: 'account' };
const ROUTES = new Map([
  ['fast', ROUTE],
  ['slow', ROUTE],
]);
const CHUNK: ChunkRule = { by: 'section', maxTokens: null, overlap: 200, context: true, when: 'needed' };
const MERGE: MergeRule = { array: ['/claims'], dedupe: 'evidence', reduce: null };
const MODEL: ResolvedModel = {
  ...{ id: 'fast', provider: 'lab', model: 'fast-1', group: null, params: { maxOutputTokens: 500 }, price: null, contextTokens: 4000 },
  structuredOutput: 'auto',
  timeouts: { connectMs: 1, firstTokenMs: 1, idleMs: 1, totalMs: 1 },
};
const TASK = { ...MANIFEST.tasks.claims, prompt: '{{document}}\n\nList the claims.', chunk: CHUNK, merge: MERGE } as ResolvedTask;

/** About 2,500 tokens a section. */
function document(sections: number, documentId = 'a.md'): ReadDocument {
  const texts = Array.from(
    { length: sections },
    (_, index) => `# ${index + 1} Section\n\n${'The device shall answer each request.\n\n'.repeat(300)}`,
  );
  const text = texts.join('');
  const starts = texts.map((_, index) => texts.slice(0, index).join('').length);
  const content: CanonicalText = {
    ...{ format: 'markdown', extractor: 'md@1', title: 'Spec', text, textSha256: sha256Hex(text), pages: [], blocks: [], lostPages: [] },
    sections: starts.map((start, index) => ({ title: `${index + 1} Section`, level: 1, start, end: starts[index + 1] ?? text.length })),
    lines: { start: [0], number: [1] },
    warnings: [],
  };
  const facts = { documentId, path: `/${documentId}`, tags: [], sizeBytes: text.length, bytesSha256: sha256Hex(text) };
  return { ...facts, extraction: { ok: true, content }, extractionKey: null, tokens: estimateCount(text) };
}

function manifest(task: Partial<ResolvedTask> = {}, model: Partial<ResolvedModel> = {}): ResolvedManifest {
  return { ...MANIFEST, models: { fast: { ...MODEL, ...model } }, tasks: { claims: { ...TASK, ...task } } };
}

async function planned(of: ResolvedManifest, documents = [document(3)]): Promise<NewJob> {
  const [job] = (await planJobs(of, documents, ROUTES)).jobs;
  if (job === undefined) throw new Error('no job');
  return job;
}

function longReduces(of: ResolvedManifest, job: NewJob, means: readonly OutputMean[]): readonly string[] {
  const long = new LongReduces(of, means);
  long.add(job);
  return long.warnings();
}

function shapeOf({ steps, failure }: NewJob): string {
  return failure === null ? steps.map(({ kind, index, input }) => `${kind} ${index} ${input?.kind ?? 'whole'}`).join(', ') : failure.reason;
}

describe('a document', () => {
  test('that fits its model is asked whole', async () => {
    expect(shapeOf(await planned(manifest({}, { contextTokens: 40_000 })))).toBe('answer 0 whole');
  });

  test('that does not fit is asked in parts that tile it, one step for each', async () => {
    const job = await planned(manifest());
    expect(shapeOf(job)).toBe('chunk 0 part, chunk 1 part, chunk 2 part');
    const parts = job.steps.flatMap(({ input }) => (input?.kind === 'part' ? [input.part] : []));
    expect(parts.map(({ ownStart }) => ownStart)).toEqual([0, ...parts.slice(0, -1).map(({ end }) => end)]);
    expect(new Set(job.steps.map(({ key }) => key)).size).toBe(3);
    expect(new Set(job.steps.map(({ laneId }) => laneId))).toEqual(new Set(['lane']));
  });

  test('that does not fit is a typed error without a rule for parts', async () => {
    expect(shapeOf(await planned(manifest({ chunk: null, merge: null })))).toBe('input_too_long');
  });

  test('is cut for what a provider takes in a minute as well', async () => {
    const lab = { ...MANIFEST.providers.lab, tokensPerMinute: 4000, tokenAccounting: 'reserved' } as ResolvedManifest['providers'][string];
    expect(shapeOf(await planned({ ...manifest({}, { contextTokens: null }), providers: { lab } }))).toBe(
      'chunk 0 part, chunk 1 part, chunk 2 part',
    );
  });

  test('is cut by maxTokens only where it must be, unless it always shall', async () => {
    const parts = (chunk: Partial<ChunkRule>, contextTokens: number | null) =>
      planned(manifest({ chunk: { ...CHUNK, ...chunk } }, { contextTokens })).then(({ steps }) => steps.length);
    expect(await parts({ maxTokens: 3000 }, 40_000)).toBe(1);
    expect(await parts({ maxTokens: 3000, when: 'always' }, 40_000)).toBe(3);
    expect(await parts({ maxTokens: 30_000, when: 'always' }, 40_000)).toBe(1);
    expect(await parts({ when: 'always' }, 40_000)).toBe(1);
    expect(await parts({ maxTokens: 3000 }, null)).toBe(3);
    expect(await parts({}, null)).toBe(1);
  });

  test('is cut at 16,000 tokens where nothing says what the model takes', async () => {
    const job = await planned(manifest({}, { contextTokens: null }), [document(14)]);
    expect(job.steps.length).toBeGreaterThan(1);
    expect(Math.max(...job.steps.map(({ inputTokens }) => inputTokens))).toBeLessThan(16_200);
    expect(Math.max(...job.steps.map(({ inputTokens }) => inputTokens))).toBeGreaterThan(10_000);
  });

  test('is said to be cut only where nothing but the unknown context cuts it, once for each model', async () => {
    const told = (
      task: Partial<ResolvedTask>,
      model: Partial<ResolvedModel>,
      documents = [document(14), document(14, 'b.md'), document(1, 'c.md')],
    ) => planJobs(manifest(task, model), documents, ROUTES).then(({ warnings }) => warnings);
    expect(await told({}, { contextTokens: null })).toEqual([
      '2 documents are asked in parts of at most 16000 tokens because contextTokens of model "fast" is not stated: state models.fast.contextTokens in the manifest',
    ]);
    expect(await told({ repeats: 3 }, { contextTokens: null }, [document(14)])).toEqual([
      expect.stringMatching(/^1 document is asked in parts /),
    ]);
    expect(await told({}, { contextTokens: 20_000 })).toEqual([]);
    expect(await told({}, { contextTokens: null }, [document(3)])).toEqual([]);
    expect(await told({ chunk: { ...CHUNK, maxTokens: 3000 } }, { contextTokens: null })).toEqual([]);
  });

  test('of which a prompt leaves no room for a part of 200 tokens cannot be asked', async () => {
    const job = await planned(manifest({}, { contextTokens: 650 }));
    expect(job.failure?.reason).toBe('input_too_long');
    expect(job.failure?.message).toMatch(
      /^prompt and answer leave room for about \d+ tokens of a part, fewer than 200, within contextTokens = 650 of model "fast"$/,
    );
  });
});

describe('the parts of a question', () => {
  test('have prompts that fit, their tokens near what is sent and below the upper bound', async () => {
    const of = manifest({ prompt: 'Read:\n{{document}}\n\nAnd again:\n{{document}}' }, { contextTokens: 6000 });
    const { steps } = await planned(of);
    expect(steps.length).toBeGreaterThan(3);
    const { extraction } = document(3);
    if (!extraction.ok) throw new Error('no text');
    for (const { input, inputTokens, maxInputTokens } of steps) {
      const asking = { documentId: 'a.md', content: extraction.content };
      const messages = renderMessages({ task: { ...TASK, ...of.tasks.claims }, document: asking, mode: 'json_schema', reask: null, input });
      const sent = estimateCount(messages.map(({ content }) => content).join('\n')).tokens;
      expect(inputTokens).toBeLessThanOrEqual(5500);
      expect(Math.abs(inputTokens - sent) / sent).toBeLessThan(0.1);
      expect(maxInputTokens).toBeGreaterThan(sent);
    }
  });

  test('are scaled by what was counted of the whole', async () => {
    const counted = document(3);
    const double = { ...counted, tokens: { tokens: counted.tokens.tokens * 2, maxTokens: counted.tokens.maxTokens * 2 } };
    const [once, twice] = [await planned(manifest(), [counted]), await planned(manifest(), [double])];
    expect(twice.steps.length).toBeGreaterThanOrEqual(once.steps.length * 1.8);
  });

  test('keep their keys when the document changes after them, and have others for another question or size', async () => {
    const keys = async (of: ResolvedManifest, documents = [document(3)]) => (await planned(of, documents)).steps.map(({ key }) => key);
    const before = await keys(manifest({ chunk: { ...CHUNK, context: false } }));
    expect((await keys(manifest({ chunk: { ...CHUNK, context: false } }), [document(4)])).slice(0, 2)).toEqual(before.slice(0, 2));
    expect(await keys(manifest({ chunk: { ...CHUNK, context: false, maxTokens: 1000 } }))).not.toContain(before[0]);
    expect(await keys(manifest({ chunk: { ...CHUNK, context: false }, prompt: '{{document}} Go.' }))).not.toContain(before[0]);
  });

  test('share their beginnings with other questions about the same part', async () => {
    const tasks = { claims: TASK, faults: { ...TASK, id: 'faults', prompt: '{{document}}\n\nList all the faults.' } };
    const [claims, faults] = (await planJobs({ ...manifest(), tasks }, [document(3)], ROUTES)).jobs;
    expect(claims?.steps.map(({ prefix }) => prefix)).toEqual(faults?.steps.map(({ prefix }) => prefix));
    expect(new Set(claims?.steps.map(({ prefix }) => prefix)).size).toBe(3);
  });

  test('count as one job, and another way to cut or join is another run', async () => {
    const plan = (task: Partial<ResolvedTask>) => planJobs({ ...manifest(task), maxJobs: 1 }, [document(3)], ROUTES);
    const identities = (
      await Promise.all([
        plan({}),
        plan({ chunk: { ...CHUNK, maxTokens: 1500 } }),
        plan({ merge: { ...MERGE, dedupe: 'none' } }),
        plan({ merge: { ...MERGE, reduce: '{{answers}}' } }),
      ])
    ).map(({ identity }) => identity);
    expect(new Set(identities).size).toBe(4);
  });
});

describe('the call that makes one answer of all', () => {
  const reduced: Partial<ResolvedTask> = { merge: { ...MERGE, reduce: 'Sum up what was found: {{answers}}' } };

  test('is foreseen with answers of half and of full length, and counted', async () => {
    const job = await planned(manifest(reduced));
    expect(job.steps).toHaveLength(3);
    const [reduce, ...others] = job.later;
    expect(others).toEqual([]);
    expect(reduce?.inputTokens).toBeGreaterThan(3 * 250);
    expect(reduce?.inputTokens).toBeLessThan(3 * 250 + 300);
    expect(reduce?.maxInputTokens).toBeGreaterThan(3 * 500);
    expect(callsOf(sumCalls(manifest(reduced), [job], []))).toBe(4);
    expect((await planned(manifest(reduced, { contextTokens: 40_000 }))).later).toEqual([]);
  });

  test('is in what the run is expected to cost', async () => {
    const of = manifest(reduced, { price: { inputPerMTok: 1, outputPerMTok: 10 } });
    const job = await planned(of);
    const [all] = estimates(of, sumCalls(of, [job], []));
    const input = [...job.steps, ...job.later].reduce((sum, { inputTokens }) => sum + inputTokens, 0);
    expect(all).toMatchObject({ inputTokens: input, outputTokens: 4 * 250, maxOutputTokens: 4 * 500 });
  });

  test('is told answers as long as earlier ones were, where there are any', async () => {
    const of = manifest(reduced);
    const job = await planned(of);
    const inputs = (tokens: number) =>
      estimates(of, sumCalls(of, [job], [{ task: 'claims', model: 'fast-1', endpoint: 'here', latencyMs: null, tokens, calls: 3 }]))[0]
        ?.inputTokens ?? 0;
    expect(inputs(250) - inputs(50)).toBe(3 * 200);
  });

  test('is refused before any call only where no answers are short enough, and warned of where they likely are not', async () => {
    const of = manifest(reduced, { params: { maxOutputTokens: 1500 }, contextTokens: 4000 });
    const job = await planned(of, [document(6)]);
    expect(job.failure).toBeNull();
    expect(longReduces(of, job, [])).toEqual([
      expect.stringMatching(
        /^the answers to the parts of 1 job may be too long for merge\.reduce, e\.g\. a\.md:claims:fast: about \d+ tokens with the answer, more than contextTokens = 4000 of model "fast"; shorten tasks\.claims\.merge\.reduce \(\{\{merged\}\} in the place of \{\{answers\}\}\)$/,
      ),
    ]);
    expect(longReduces(of, job, [{ task: 'claims', model: 'fast-1', endpoint: 'here', latencyMs: null, tokens: 20, calls: 3 }])).toEqual(
      [],
    );
    const never = manifest({ merge: { ...MERGE, reduce: `${'Sum up what was found. '.repeat(700)}{{answers}}` } });
    expect((await planned(never)).failure?.message).toMatch(
      /^the answers to the parts are too long for merge\.reduce: about \d+ tokens with the answer, more than contextTokens = 4000/,
    );
  });
});

describe('what a task states about its parts', () => {
  const plan = (chunk: Partial<ChunkRule>, contextTokens: number | null) =>
    planJobs(manifest({ chunk: { ...CHUNK, ...chunk } }, { contextTokens }), [document(3), document(4, 'b.md')], ROUTES);

  test('and does not fit the model is said once', async () => {
    expect((await plan({ maxTokens: 50_000 }, 4000)).warnings).toEqual([
      expect.stringMatching(/^tasks\.claims\.chunk: parts for model "fast" have at most \d+ tokens: maxTokens = 50000 does not fit$/),
    ]);
    expect((await plan({ maxTokens: 1000 }, 4000)).warnings).toEqual([]);
    expect((await plan({ maxTokens: 50_000 }, 40_000)).warnings).toEqual([]);
  });

  test('never makes them repeat more than a quarter', async () => {
    const parts = [...(await plan({ maxTokens: 1000, overlap: 900, when: 'always' }, 40_000)).jobs].flatMap(({ steps }) => steps);
    const spans = parts.flatMap(({ input }) => (input?.kind === 'part' ? [input.part] : []));
    const longest = Math.max(...spans.map(({ start, end }) => end - start));
    const repeats = spans.map(({ start, ownStart }) => (ownStart - start) / longest);
    expect(Math.max(...repeats)).toBeLessThan(0.27);
    expect(Math.max(...repeats)).toBeGreaterThan(0.15);
  });
});
