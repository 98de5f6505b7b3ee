import { describe, expect, test } from 'vitest';
import { sha256Hex } from '../../src/domain/canonical-json.ts';
import type { CanonicalText } from '../../src/domain/document.ts';
import type { ResolvedTask } from '../../src/domain/manifest/resolved.ts';
import { renderMessages } from '../../src/engine/prompt.ts';
import { reduceOutput } from '../../src/engine/reduce-output.ts';
import { type ReduceInput, reduceFailure, reduceStep } from '../../src/engine/reduce-step.ts';
import { ASKING } from './asking.ts';

const SCHEMA = {
  type: 'object',
  properties: { summary: { type: 'string' }, claims: { type: 'array' }, more: { type: 'object', properties: { list: {}, word: {} } } },
  required: ['summary', 'claims'],
  additionalProperties: false,
};
const REDUCED = {
  type: 'object',
  properties: { summary: { type: 'string' }, more: { type: 'object', properties: { word: {} } } },
  required: ['summary'],
  additionalProperties: false,
};

const TASK = {
  ...ASKING.tasks.task,
  system: 'Answer by {{schema}}',
  output: { format: 'json', schema: SCHEMA, strict: true, reask: 1 },
  chunk: { by: 'section', maxTokens: null, overlap: 0, context: true, when: 'needed' },
  merge: { array: ['/claims', '/more/list'], dedupe: 'evidence', reduce: '{{document.title}} {{document.path}}\n{{answers}}\n{{merged}}' },
} as ResolvedTask;

const text = 'a'.repeat(40);
const content: CanonicalText = {
  ...{ format: 'pdf', extractor: 'pdf@1', title: 'T', text, textSha256: sha256Hex(text), blocks: [], lostPages: [], warnings: [] },
  sections: [
    { title: 'One', level: 1, start: 0, end: 25 },
    { title: 'Two', level: 1, start: 25, end: 40 },
  ],
  pages: [
    { number: 1, label: 'i', start: 0, end: 20 },
    { number: 2, label: 'ii', start: 20, end: 40 },
  ],
  lines: { start: [0], number: [1] },
};

function inputOf(more: Partial<ReduceInput> = {}): ReduceInput {
  const { model } = ASKING.models;
  if (model === undefined) throw new Error('no model');
  return {
    ...{ manifest: ASKING, task: TASK, model, repeat: 0, document: { documentId: 'a.pdf', content }, merged: { claims: [1] } },
    answers: [
      { part: { start: 0, end: 20, ownStart: 0, index: 0, of: 2 }, answer: { summary: 'x', claims: [1] } },
      { part: { start: 20, end: 40, ownStart: 20, index: 1, of: 2 }, answer: { summary: 'y', claims: [] } },
    ],
    ...more,
  };
}

describe('the step that makes one answer of all', () => {
  test('asks with the answers, where they are from, and what was joined', () => {
    const { kind, index, input, prefix } = reduceStep(inputOf());
    expect({ kind, index, prefix }).toEqual({ kind: 'reduce', index: 0, prefix: null });
    const answers = [
      '{"answer":{"claims":[1],"summary":"x"},"pages":"page 1 (printed i)","part":1,"sections":["One"]}',
      '{"answer":{"claims":[],"summary":"y"},"pages":"page 2 (printed ii)","part":2,"sections":["One","Two"]}',
    ];
    expect(input).toEqual({
      kind: 'prompt',
      system: `Answer by ${JSON.stringify(REDUCED, null, 2)}`,
      prompt: `T a.pdf\n[${answers.join(',')}]\n{"claims":[1]}`,
    });
  });

  test('has the key of its question: other answers, another form, another repeat have another', () => {
    const { key } = reduceStep(inputOf());
    expect(reduceStep(inputOf()).key).toBe(key);
    const { answers } = inputOf();
    const others = [
      inputOf({ answers: answers.slice(1) }),
      inputOf({ repeat: 1 }),
      inputOf({ merged: { claims: [] } }),
      inputOf({ task: { ...TASK, merge: { array: [], dedupe: 'none', reduce: TASK.merge?.reduce ?? '' } } }),
      inputOf({ document: { documentId: 'b.pdf', content } }),
    ].map((input) => reduceStep(input).key);
    expect(new Set([key, ...others]).size).toBe(6);
  });

  test('counts what it will send', () => {
    const { inputTokens, maxInputTokens } = reduceStep(inputOf());
    expect(inputTokens).toBeGreaterThan(150);
    expect(maxInputTokens).toBeGreaterThan(inputTokens + 100);
  });

  test('is refused where the answers turned out too long for the model', () => {
    const input = inputOf();
    expect(reduceFailure(input, reduceStep(input))).toBeNull();
    expect(reduceFailure({ ...input, model: { ...input.model, contextTokens: 1100 } }, reduceStep(input))).toMatchObject({
      ...{ class: 'permanent', reason: 'input_too_long' },
      message: expect.stringMatching(
        /^the answers to the parts are too long for merge\.reduce: about \d+ tokens with the answer, more than/,
      ),
    });
  });

  test('is sent as it was stored, with the form it is to have', () => {
    const { input } = reduceStep(inputOf({ task: { ...TASK, system: null } }));
    const [message] = renderMessages({ task: { ...TASK, system: null }, document: inputOf().document, mode: 'prompt', reask: null, input });
    const form = 'Answer with one JSON value that is valid against this JSON Schema, and nothing else:\n\n';
    expect(message?.content).toBe(`${input?.kind === 'prompt' ? input.prompt : ''}\n\n${form}${JSON.stringify(REDUCED, null, 2)}`);
  });
});

describe('its form', () => {
  test('is that of the task without the arrays that are joined', () => {
    expect(reduceOutput(TASK).schema).toEqual(REDUCED);
    expect(reduceOutput({ ...TASK, output: reduceOutput(TASK) }).schema).toEqual(REDUCED);
  });

  test('is that of the task where nothing is joined, or the schema does not say where', () => {
    expect(reduceOutput({ ...TASK, merge: null })).toBe(TASK.output);
    expect(reduceOutput({ ...TASK, output: { ...TASK.output, schema: { $ref: '#/$defs/a' } } }).schema).toEqual({ $ref: '#/$defs/a' });
    expect(reduceOutput({ ...TASK, output: { ...TASK.output, schema: null } }).schema).toBeNull();
  });

  test('asks for nothing of the arrays, nor what only holds with them; all else of the schema stays', () => {
    const kept = { allOf: [{ required: ['summary'] }], not: { required: ['word'] }, maxProperties: 3, $defs: { a: { minProperties: 1 } } };
    const conditions = {
      ...{ minProperties: 3, unevaluatedProperties: false, oneOf: [{ $ref: '#/$defs/a' }], anyOf: [{ required: ['claims'] }] },
      ...{ if: { properties: { claims: { minItems: 1 } } }, dependentRequired: { summary: ['claims'] } },
    };
    const asked = (schema: object) => reduceOutput({ ...TASK, output: { ...TASK.output, schema: { ...SCHEMA, ...schema } } }).schema;
    expect(asked({ ...kept, ...conditions })).toEqual({ ...REDUCED, ...kept });
    const more = { type: 'object', minProperties: 2, properties: { list: {}, word: {} } };
    expect(asked({ properties: { ...SCHEMA.properties, more } })).toEqual(REDUCED);
  });
});
