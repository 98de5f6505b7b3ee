import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/domain/canonical-json.ts';
import { fencedText } from '../../src/providers/prompt-sentence.ts';
import { createSimulatedProvider } from '../../src/providers/simulated.ts';
import { JSON_FORM, NEVER, request } from './requests.ts';

const DOCUMENT = [
  '# Registers',
  '',
  'The control register is cleared to zero on every reset of the device.',
  'A write of 3.5 volts to the pin, as in section 2, shall be ignored by\nthe receiver in every mode.',
  '',
  'Short one. The status register keeps its value until the host reads it.',
].join('\n');

const PROMPT = `Find claims. Every sentence of this instruction is not a quote of the document.\n<document 0a1b2c3d4e5f>\n${DOCUMENT}\n</document 0a1b2c3d4e5f>\nAnswer in the schema that was given to you above.`;

function provider(latencyMs = 0) {
  return createSimulatedProvider({ latencyMs, sleep: async () => undefined, clock: () => 0 });
}

function asked(schema: Json, prompt = PROMPT) {
  return request({ messages: [{ role: 'user', content: prompt }], output: { format: 'json', schema, strict: true, mode: 'json_schema' } });
}

describe('a simulated answer', () => {
  it.each<[string, Json]>([
    [
      'an object',
      { type: 'object', properties: { a: { type: 'string' }, b: { type: 'boolean' } }, required: ['a', 'b'], additionalProperties: false },
    ],
    ['an array with bounds', { type: 'array', items: { type: 'integer', minimum: 3, maximum: 5 }, minItems: 4, maxItems: 6 }],
    ['an enum', { enum: ['low', 'high', 7, null] }],
    ['a constant', { const: { a: [1, 'x'] } }],
    ['bounded integers', { type: 'integer', exclusiveMinimum: 3, exclusiveMaximum: 5 }],
    ['multiples', { type: 'integer', multipleOf: 5, minimum: 11, maximum: 29 }],
    ['bounded numbers', { type: 'number', minimum: 0, maximum: 1 }],
    ['numbers above a bound', { type: 'number', minimum: 500 }],
    ['bounded strings', { type: 'string', minLength: 100, maxLength: 101 }],
    ['a nullable type', { type: ['null', 'integer'] }],
    ['alternatives', { anyOf: [{ type: 'integer' }, { type: 'null' }] }],
    [
      'a union of parts',
      {
        allOf: [
          { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] },
          { properties: { b: { type: 'string' } }, required: ['b'] },
        ],
      },
    ],
    [
      'references',
      {
        $ref: '#/$defs/item',
        $defs: {
          item: { type: 'object', properties: { n: { $ref: '#/$defs/count' } }, required: ['n'] },
          count: { type: 'integer', minimum: 1 },
        },
      },
    ],
    [
      'recursion',
      {
        $ref: '#/$defs/node',
        $defs: {
          node: {
            type: 'object',
            properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/node' } } },
            required: ['name', 'children'],
          },
        },
      },
    ],
  ])('fits %s', async (_title, schema) => {
    const { content, finishReason } = await provider().complete(asked(schema), NEVER);
    const validate = new Ajv2020({ strict: false }).compile(JSON.parse(JSON.stringify(schema)));
    expect(validate(JSON.parse(content)), `${content} ${JSON.stringify(validate.errors)}`).toBe(true);
    expect(finishReason).toBe('stop');
  });

  it('quotes the document, never the instruction', async () => {
    for (let i = 0; i < 30; i += 1) {
      const { content } = await provider().complete(
        { ...asked(JSON_FORM.format === 'json' ? JSON_FORM.schema : null), params: { seed: i } },
        NEVER,
      );
      const { quote } = JSON.parse(content);
      expect(DOCUMENT).toContain(quote);
      expect(quote.length).toBeGreaterThanOrEqual(40);
    }
  });

  it('is the same for the same body and another for another', async () => {
    const one = await provider().complete(request(), NEVER);
    expect(await provider().complete(request({ callToken: 'other', attempt: 2 }), NEVER)).toEqual(one);
    const other = await provider().complete(request({ params: { seed: 2 } }), NEVER);
    expect(other.content).not.toBe(one.content);
  });

  it('has estimated usage', async () => {
    const { usage } = await provider().complete(request(), NEVER);
    expect(usage).toMatchObject({ uncachedInput: 8, cacheRead: 0 });
    expect(usage?.output).toBeGreaterThan(0);
  });

  it('is not given once the caller has ended the call', async () => {
    await expect(provider(50).complete(request(), AbortSignal.abort())).rejects.toMatchObject({
      failure: { reason: 'cancelled' },
      sent: false,
    });
  });
});

describe('a fenced text', () => {
  it('is what stands between the fence lines, whatever marks the document holds', () => {
    expect(fencedText('ask\n--- aabbccdd11 ---\nhash deadbeef00\nand deadbeef00 again\n--- aabbccdd11 ---\nask')).toBe(
      'hash deadbeef00\nand deadbeef00 again',
    );
  });

  it('is the whole prompt without a fence', () => {
    expect(fencedText('no fence here')).toBe('no fence here');
  });
});
