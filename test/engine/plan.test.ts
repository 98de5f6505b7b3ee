import { describe, expect, test } from 'vitest';
import { estimateCount } from '../../src/documents/tokens.ts';
import { sha256Hex } from '../../src/domain/canonical-json.ts';
import type { CanonicalText } from '../../src/domain/document.ts';
import type { ResolvedManifest, ResolvedModel, ResolvedTask } from '../../src/domain/manifest/resolved.ts';
import { planJobs } from '../../src/engine/plan.ts';
import type { ReadDocument } from '../../src/engine/read-documents.ts';
import type { NewJob } from '../../src/store/plan-rows.ts';
import { MANIFEST } from '../cli/sample-run.ts';

const ROUTE = { endpoint: 'http://127.0.0.1:1/v1', laneId: 'lane', accountId: 'account' };
const ROUTES = new Map([
  ['fast', ROUTE],
  ['slow', ROUTE],
]);

function content(text: string): CanonicalText {
  const lines = { start: [0], number: [1] };
  return {
    format: 'text',
    extractor: 'text@1',
    title: null,
    text,
    textSha256: sha256Hex(text),
    pages: [],
    sections: [],
    lines,
    blocks: [],
    lostPages: [],
    warnings: [],
  };
}

function document(documentId: string, text = `Text of ${documentId}.`, tags: readonly string[] = []): ReadDocument {
  const extraction = { ok: true, content: content(text) } as const;
  return {
    documentId,
    path: `/${documentId}`,
    tags,
    sizeBytes: text.length,
    bytesSha256: sha256Hex(text),
    extractionKey: null,
    extraction,
    tokens: estimateCount(text),
  };
}

const MODEL: ResolvedModel = {
  id: 'fast',
  provider: 'lab',
  model: 'fast-1',
  group: null,
  params: {},
  price: null,
  contextTokens: null,
  structuredOutput: 'auto',
  timeouts: { connectMs: 1, firstTokenMs: 1, idleMs: 1, totalMs: 1 },
};

const TASK = { ...MANIFEST.tasks.claims, prompt: '{{document}}\n\nList the claims.' } as ResolvedTask;

function manifest(parts: Partial<ResolvedManifest> = {}): ResolvedManifest {
  return { ...MANIFEST, models: { fast: MODEL }, tasks: { claims: TASK }, ...parts };
}

type PlannedJobs = Omit<Awaited<ReturnType<typeof planJobs>>, 'jobs'> & { readonly jobs: readonly NewJob[] };

async function planned(...input: Parameters<typeof planJobs>): Promise<PlannedJobs> {
  const plan = await planJobs(...input);
  return { ...plan, jobs: [...plan.jobs] };
}

function names({ jobs }: PlannedJobs): string[] {
  return jobs.map(({ documentId, task, model, repeat }) => `${documentId} ${task} ${model} ${repeat}`);
}

describe('the plan', () => {
  test('goes by document, task, model and repeat', async () => {
    const models = { fast: MODEL, slow: { ...MODEL, id: 'slow', model: 'slow-1' } };
    const tasks = { b: { ...TASK, id: 'b' }, a: { ...TASK, id: 'a', repeats: 2, models: ['slow'] } };
    const plan = await planned(manifest({ models, tasks }), [document('x.md'), document('y.md')], ROUTES);
    const ofOne = (id: string): string[] => [`${id} b fast 0`, `${id} b slow 0`, `${id} a slow 0`, `${id} a slow 1`];
    expect(names(plan)).toEqual([...ofOne('x.md'), ...ofOne('y.md')]);
    expect(plan.jobs.map(({ seq }) => seq)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  test('a task takes the documents of its globs and tags', async () => {
    const documents = [document('papers/a.pdf', 'A', ['paper']), document('specs/b.md', 'B'), document('notes.md', 'C')];
    const tasks = { claims: { ...TASK, documents: ['tag:paper', 'specs/**'] } };
    expect(names(await planned(manifest({ tasks }), documents, ROUTES))).toEqual([
      'papers/a.pdf claims fast 0',
      'specs/b.md claims fast 0',
    ]);
  });

  test('matrix rules remove jobs; only keeps what it names', async () => {
    const models = { fast: MODEL, slow: { ...MODEL, id: 'slow' } };
    const documents = [document('a.md'), document('b.md')];
    const rule = { document: null, task: null, model: null };
    const exclude = await planned(
      manifest({ models, matrix: { exclude: [{ ...rule, model: 'slow', document: 'a*' }], only: [] } }),
      documents,
      ROUTES,
    );
    expect(names(exclude)).toEqual(['a.md claims fast 0', 'b.md claims fast 0', 'b.md claims slow 0']);
    const only = await planned(manifest({ models, matrix: { exclude: [], only: [{ ...rule, document: 'b.md' }] } }), documents, ROUTES);
    expect(names(only)).toEqual(['b.md claims fast 0', 'b.md claims slow 0']);
  });

  test('a document without usable text gives failed jobs with its reason', async () => {
    const broken: ReadDocument = { ...document('a.pdf'), extraction: { ok: false, reason: 'document_no_text', message: 'no text layer' } };
    const [job] = (await planned(manifest(), [broken], ROUTES)).jobs;
    expect(job).toMatchObject({ textSha256: null, steps: [], failure: { reason: 'document_no_text', message: 'no text layer' } });
  });

  test('a prompt that cannot fit its model gives a failed job before any call', async () => {
    const models = { fast: { ...MODEL, contextTokens: 2000, params: { maxOutputTokens: 500 } } };
    const documents = [document('long.md', 'word '.repeat(2000)), document('short.md')];
    const [long, short] = (await planned(manifest({ models }), documents, ROUTES)).jobs;
    expect(long).toMatchObject({ steps: [], failure: { reason: 'input_too_long' } });
    expect(short).toMatchObject({ failure: null });
  });

  test('equal texts under two names are two jobs of one key', async () => {
    const { jobs } = await planned(manifest(), [document('a.md', 'Same.'), document('b.md', 'Same.')], ROUTES);
    expect(new Set(jobs.map(({ jobId }) => jobId)).size).toBe(2);
    expect(new Set(jobs.map(({ steps }) => steps[0]?.key)).size).toBe(1);
  });

  test('repeats have keys of their own', async () => {
    const { jobs } = await planned(manifest({ tasks: { claims: { ...TASK, repeats: 3 } } }), [document('a.md')], ROUTES);
    expect(new Set(jobs.map(({ steps }) => steps[0]?.key)).size).toBe(3);
  });

  test.each<[string, Partial<ResolvedManifest>]>([
    ['prompt', { tasks: { claims: { ...TASK, prompt: '{{document}}\n\nOther question.' } } }],
    ['system prompt', { tasks: { claims: { ...TASK, system: 'Be brief.' } } }],
    ['schema', { tasks: { claims: { ...TASK, output: { ...TASK.output, schema: { type: 'object' } } } } }],
    ['parameter', { models: { fast: { ...MODEL, params: { temperature: 1 } } } }],
    ['model', { models: { fast: { ...MODEL, model: 'fast-2' } } }],
    ['namespace', { cache: { ...MANIFEST.cache, namespace: 'other' } }],
  ])('another %s is another key and another identity', async (_, parts) => {
    const before = await planned(manifest(), [document('a.md')], ROUTES);
    const after = await planned(manifest(parts), [document('a.md')], ROUTES);
    expect(after.jobs[0]?.steps[0]?.key).not.toBe(before.jobs[0]?.steps[0]?.key);
    expect(after.identity).not.toBe(before.identity);
  });

  test('another check is the same key and another identity', async () => {
    const checks = [{ id: 'count', type: 'count', at: '/x', severity: 'must', where: null, min: 1, max: null } as const];
    const before = await planned(manifest(), [document('a.md')], ROUTES);
    const after = await planned(manifest({ tasks: { claims: { ...TASK, checks } } }), [document('a.md')], ROUTES);
    expect(after.jobs[0]?.steps[0]?.key).toBe(before.jobs[0]?.steps[0]?.key);
    expect(after.identity).not.toBe(before.identity);
  });

  test('price, gate, limits and retries are neither in the key nor in the identity', async () => {
    const before = await planned(manifest(), [document('a.md')], ROUTES);
    const parts = { models: { fast: { ...MODEL, price: 'free' as const } }, gate: { minPassRate: 0, maxErrorRate: 1 }, concurrency: 1 };
    expect((await planned(manifest(parts), [document('a.md')], ROUTES)).identity).toBe(before.identity);
  });
});

describe('tokens and prefixes', () => {
  const PROVIDER = {
    id: 'lab',
    type: 'openai',
    baseUrl: 'http://127.0.0.1:1/v1',
    apiKeyEnv: null,
    identity: null,
    stream: true,
    headers: {},
    concurrency: 4,
    requestsPerMinute: null,
    tokensPerMinute: 2000,
    tokenAccounting: 'reserved',
    cassette: null,
    latencyMs: 0,
  } as const;
  const MODEL_OF_500: ResolvedModel = { ...MODEL, params: { maxOutputTokens: 500 } };
  const LONG = 'The device shall answer. '.repeat(320);

  test('a prompt that its provider takes in no minute gives a failed job that names the limit; others go on', async () => {
    const parts = { providers: { lab: PROVIDER }, models: { fast: MODEL_OF_500 } };
    const [long, short] = (await planned(manifest(parts), [document('long.md', LONG), document('short.md')], ROUTES)).jobs;
    expect(long?.failure?.reason).toBe('input_too_long');
    expect(long?.failure?.message).toMatch(/^about 2\d\d\d tokens with the answer, more than tokensPerMinute = 2000 of provider "lab"$/);
    expect([long?.steps.length, short?.failure, short?.steps.length]).toEqual([0, null, 1]);
  });

  test('a provider that counts what is used refuses a prompt only for what it holds', async () => {
    const plan = (tokensPerMinute: number) => {
      const lab = { ...PROVIDER, tokenAccounting: 'actual' as const, tokensPerMinute };
      return planned(manifest({ providers: { lab }, models: { fast: MODEL_OF_500 } }), [document('long.md', LONG)], ROUTES);
    };
    expect((await plan(2000)).jobs[0]?.failure).toBeNull();
    expect((await plan(1000)).jobs[0]?.failure?.message).toMatch(
      /^about 1\d\d\d tokens, more than tokensPerMinute = 1000 of provider "lab"$/,
    );
  });

  test("a step's tokens are those counted of its document, and what stands around it", async () => {
    const counted = { ...document('a.md'), tokens: { tokens: 5000, maxTokens: 7000 } };
    const [step] = (await planned(manifest(), [counted], ROUTES)).jobs[0]?.steps ?? [];
    expect(step?.inputTokens).toBeGreaterThan(5000);
    expect(step?.inputTokens).toBeLessThan(5050);
    expect(step?.maxInputTokens).toBeGreaterThan(7100);
    expect(step?.maxInputTokens).toBeLessThan(7200);
  });

  test('a schema that is told in words counts as input', async () => {
    const schema = { type: 'object', properties: { claims: { type: 'array', items: { type: 'string' } } } };
    const tokens = async (structuredOutput: ResolvedModel['structuredOutput']): Promise<number> => {
      const models = { fast: { ...MODEL, structuredOutput } };
      const tasks = { claims: { ...TASK, output: { ...TASK.output, schema } } };
      return (await planned(manifest({ models, tasks }), [document('a.md')], ROUTES)).jobs[0]?.steps[0]?.inputTokens ?? 0;
    };
    expect(await tokens('prompt')).toBeGreaterThan((await tokens('json_schema')) + 40);
    expect(await tokens('auto')).toBe(await tokens('json_schema'));
  });

  test('questions about one document share a prefix; another model or system message does not', async () => {
    const models = { fast: MODEL, slow: { ...MODEL, id: 'slow', model: 'slow-1' } };
    const tasks = {
      claims: TASK,
      faults: { ...TASK, id: 'faults', prompt: '{{document}}\n\nList the faults.' },
      strict: { ...TASK, id: 'strict', system: 'Be strict.' },
    };
    const { jobs } = await planned(manifest({ models, tasks }), [document('a.md', LONG), document('b.md')], ROUTES);
    const prefixes = jobs.slice(0, 6).map(({ steps }) => steps[0]?.prefix);
    expect(prefixes[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(prefixes.map((prefix) => prefixes.indexOf(prefix))).toEqual([0, 1, 0, 1, 4, 5]);
    expect(jobs.slice(6).map(({ steps }) => steps[0]?.prefix)).toEqual(Array(6).fill(null));
  });
});
