import { describe, expect, test } from 'vitest';
import type { JudgeInput } from '../../src/checks/judge-input.ts';
import type { Json } from '../../src/domain/canonical-json.ts';
import type { CheckSpec, MergeRule, ResolvedTask } from '../../src/domain/manifest/resolved.ts';
import type { Part } from '../../src/domain/part.ts';
import { type Finishing, finish } from '../../src/engine/finish.ts';
import { PoolTimeout } from '../../src/engine/pool.ts';
import { judge, merge, seek } from '../../src/engine/pool-worker.ts';
import type { StepAnswer } from '../../src/store/work.ts';
import { canonicalText } from '../evidence/canonical.ts';
import { ASKING } from './asking.ts';

const [A, B, C] = ['The pump starts within two seconds.', 'A valve closes at ninety degrees.', 'Every sensor reports once a minute.'];
const DOCUMENT = canonicalText([A, B, C].join('\n'));
const END = DOCUMENT.text.length;
const CUT = DOCUMENT.text.indexOf(C ?? '');
const PARTS: readonly Part[] = [
  { index: 0, of: 2, start: 0, end: CUT, ownStart: 0 },
  { index: 1, of: 2, start: DOCUMENT.text.indexOf(B ?? ''), end: END, ownStart: CUT },
];
const QUOTES: CheckSpec = {
  id: 'quotes',
  type: 'evidence',
  severity: 'must',
  at: '/findings/*/quote',
  minChars: 3,
  minVerified: 0,
  page: null,
  line: null,
  elided: 'accept',
  absence: 'review',
};

const quotes = (...words: (string | undefined)[]): Json => ({ findings: words.map((quote = '') => ({ quote })) });

function whole(answer: Json, more: Partial<StepAnswer> = {}): StepAnswer {
  return {
    stepKind: 'answer',
    index: 0,
    callToken: 'paid',
    answer,
    repaired: false,
    mode: 'json_schema',
    asked: { kind: 'whole' },
    ...more,
  };
}

function part(index: number, answer: Json, more: Partial<StepAnswer> = {}): StepAnswer {
  const [first, second] = PARTS;
  const asked = { kind: 'part', part: index === 0 ? first : second } as const;
  if (asked.part === undefined) throw new Error('no such part');
  return whole(answer, { stepKind: 'chunk', index, callToken: `part-${index}`, asked: { kind: 'part', part: asked.part }, ...more });
}

const reduced = (answer: Json): StepAnswer => whole(answer, { stepKind: 'reduce', callToken: 'reduced', asked: { kind: 'reduce' } });

const MERGE: MergeRule = { array: ['/findings'], dedupe: 'evidence', reduce: null };

/** What the finish of these answers comes to, and what the judge was given. */
async function finished(
  answers: readonly StepAnswer[],
  task: Partial<ResolvedTask> = {},
  pool: Partial<Finishing['pool']> = {},
  contextTokens: number | null = null,
) {
  const inputs: JudgeInput[] = [];
  const { task: asked, model } = { task: ASKING.tasks.task, model: ASKING.models.model };
  if (asked === undefined || model === undefined) throw new Error('nothing is asked');
  const chunk = { by: 'section', maxTokens: null, overlap: 0, context: true, when: 'always' } as const;
  const judged = async (input: JudgeInput) => {
    inputs.push(input);
    return judge(input);
  };
  const outcome = await finish({
    claim: {
      token: 'lease',
      runId: 'r',
      stepId: 1,
      job: { jobId: 'j', documentId: 'a.md', textSha256: DOCUMENT.textSha256, task: 'task', model: 'model', repeat: 0 },
      claimedAtMs: 0,
      deadlineAtMs: 1,
      work: { kind: 'finish', answers },
    },
    answers,
    manifest: ASKING,
    task: { ...asked, prompt: 'Read this.\n{{document}}\nQuote it.', checks: [QUOTES], chunk, merge: MERGE, ...task },
    model: { ...model, contextTokens },
    document: DOCUMENT,
    store: { documents: async () => [], canonicalText: async () => null },
    pool: { merge: async (input) => merge(input), judge: judged, seek: async (input) => seek(input), ...pool },
  });
  return { outcome, inputs };
}

describe('the finish of a document that was asked whole', () => {
  test('judges its answer, all of the document seen', async () => {
    const { outcome, inputs } = await finished([whole(quotes(A), { stepKind: 'reask', repaired: true })]);
    expect(outcome).toMatchObject({
      kind: 'finished',
      result: {
        verdict: 'pass',
        answer: quotes(A),
        repaired: true,
        reasked: true,
        callToken: 'paid',
        coverage: { spans: [{ start: 0, end: END }], characters: END, of: END, parts: 1 },
      },
    });
    expect(inputs).toMatchObject([{ seen: [{ start: 0, end: END }], origins: [] }]);
  });

  test('tells the judge the question’s own words: prompt and schema, without the document', async () => {
    const schema = { type: 'object', description: 'such as "The lamp is green."' };
    const output = { format: 'json', schema, strict: false, reask: 1 } as const;
    const { inputs } = await finished([whole(quotes(A))], { output, system: 'Be exact.' });
    const text = inputs[0]?.promptText ?? '';
    for (const words of ['Be exact.', 'Read this.', 'Quote it.', 'The lamp is green.']) expect(text).toContain(words);
    expect(text).not.toContain(A);
  });
});

describe('the finish of a document that was asked in parts', () => {
  test('joins what they found, in their order, and says what they covered', async () => {
    const { outcome, inputs } = await finished([part(1, quotes(B, C)), part(0, quotes(A, B), { mode: 'json_object' })]);
    expect(outcome).toMatchObject({
      kind: 'finished',
      result: {
        verdict: 'pass',
        answer: quotes(A, B, C),
        callToken: null,
        mode: null,
        reasked: false,
        coverage: { parts: 2, characters: END },
      },
    });
    expect(inputs[0]?.seen).toEqual(PARTS.map(({ start, end }) => ({ start, end })));
    expect(inputs[0]?.origins.map(({ pointer }) => pointer)).toEqual(['/findings/0', '/findings/1', '/findings/2']);
  });

  test('takes the answer of a re-ask for that of its part', async () => {
    const { outcome } = await finished([part(0, quotes()), part(1, quotes(C)), part(0, quotes(A), { stepKind: 'reask' })]);
    expect(outcome).toMatchObject({ result: { answer: quotes(A, C), reasked: true } });
  });

  test('is a bug where an answer is missing', async () => {
    await expect(finished([part(1, quotes(C))])).rejects.toThrow('job j has not the answers of all its parts');
  });

  test('fails the job where the parts contradict each other, or what they say together breaks the schema', async () => {
    const apart = [part(0, { findings: [], found: 1 }), part(1, { findings: [], found: 2 })];
    expect((await finished(apart)).outcome).toMatchObject({
      kind: 'unjudged',
      failure: { class: 'quality', reason: 'invalid_answer', message: expect.stringContaining('different answers at /found') },
    });
    const schema = { type: 'object', properties: { findings: { type: 'array', maxItems: 1 } } };
    const output = { format: 'json', schema, strict: false, reask: 1 } as const;
    expect((await finished([part(0, quotes(A)), part(1, quotes(C))], { output })).outcome).toMatchObject({
      kind: 'unjudged',
      failure: { reason: 'invalid_answer', message: expect.stringMatching(/^the joined arrays of all parts are not valid: .findings/) },
    });
  });

  test('asks for no answer of them where none could be valid', async () => {
    const schema = { type: 'object', properties: { findings: { type: 'array', maxItems: 1 } } };
    const task = { output: { format: 'json', schema, strict: false, reask: 1 }, merge: { ...MERGE, reduce: '{{merged}}' } } as const;
    expect((await finished([part(0, quotes(A)), part(1, quotes(C))], task)).outcome).toMatchObject({
      kind: 'unjudged',
      failure: { reason: 'invalid_answer', message: expect.stringContaining('/findings: must NOT have more than 1 item') },
    });
    expect((await finished([part(0, quotes(A)), part(1, { findings: 'none' })], { merge: task.merge })).outcome).toMatchObject({
      kind: 'unjudged',
      failure: { message: expect.stringContaining('/findings: not every part was answered with an array there') },
    });
  });

  test('asks once for one answer of them, and puts what they quoted into it', async () => {
    const task = { merge: { ...MERGE, reduce: 'Sum up: {{merged}}' } };
    const parts = [part(0, { ...Object(quotes(A)), found: 1 }), part(1, { ...Object(quotes(C)), found: 1 })];
    const { outcome } = await finished(parts, task);
    const prompt = `Sum up: {"findings":[{"quote":"${A}"},{"quote":"${C}"}],"found":1}`;
    expect(outcome).toMatchObject({ kind: 'reduce', step: { kind: 'reduce', index: 0, input: { kind: 'prompt', system: null, prompt } } });
    const again = await finished([...parts, reduced({ summary: 's', findings: ['reworded'] })], task);
    expect(again.outcome).toMatchObject({
      kind: 'finished',
      result: { answer: { summary: 's', ...Object(quotes(A, C)) }, callToken: 'reduced', coverage: { parts: 2 } },
    });
  });

  test('fails where the answers are longer together than the model takes', async () => {
    const task = { merge: { ...MERGE, reduce: '{{answers}}' } };
    const { outcome } = await finished([part(0, quotes('word '.repeat(5_000))), part(1, quotes())], task, {}, 4_000);
    expect(outcome).toMatchObject({
      kind: 'unjudged',
      failure: { reason: 'input_too_long', message: expect.stringContaining('merge.reduce') },
    });
  });

  test('finds a quote in the part that the item came from', async () => {
    const { outcome } = await finished([part(0, quotes(C)), part(1, quotes())]);
    expect(outcome).toMatchObject({ result: { verdict: 'pass', scores: [{ findings: [{ evidence: { seen: true } }] }] } });
  });
});

test('checks that take too long are at fault, not the answer', async () => {
  const slow = () => Promise.reject(new PoolTimeout(500));
  const failure = { class: 'permanent', reason: 'check_error', message: 'the checks: gave up after 0.5 s' };
  expect((await finished([whole(quotes(A))], {}, { judge: slow })).outcome).toEqual({ kind: 'unjudged', failure });
  expect((await finished([part(0, quotes()), part(1, quotes())], {}, { merge: slow })).outcome).toEqual({ kind: 'unjudged', failure });
});
