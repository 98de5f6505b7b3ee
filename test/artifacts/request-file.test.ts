import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { requestFile, restoreRequest } from '../../src/artifacts/request-file.ts';
import type { Json } from '../../src/domain/canonical-json.ts';
import { completion, TEXT } from './sample.ts';

const REFERENCE = { $text: { sha256: TEXT.sha256, start: 0, end: TEXT.text.length } };

describe('request.json', () => {
  test('holds a reference where the document stood', () => {
    expect(requestFile(completion('').wireBody, TEXT)).toEqual({
      v: 1,
      references: true,
      body: {
        model: 'gpt-5-mini',
        messages: [
          { role: 'system', content: 'Be exact.' },
          { role: 'user', content: ['Read this:\n', REFERENCE, '\nWhat is wrong?'] },
        ],
        stream: true,
      },
    });
  });

  test('gives back the body as it went over the wire', () => {
    const prompts = [
      TEXT.text,
      `${TEXT.text}${TEXT.text}`,
      `a${TEXT.text}`,
      `${TEXT.text}b`,
      'without it',
      `x ${TEXT.text} y ${TEXT.text} z`,
    ];
    for (const prompt of prompts) {
      const { wireBody } = completion('', prompt);
      expect(restoreRequest(requestFile(wireBody, TEXT), TEXT)).toEqual(wireBody);
    }
  });

  test('a body whose contents are lists already stays as it is', () => {
    const body: Json = {
      messages: [
        { role: 'user', content: ['a', REFERENCE] },
        { role: 'user', content: TEXT.text },
      ],
    };
    const file = requestFile(body, TEXT);
    expect(file).toEqual({ v: 1, references: false, body });
    expect(restoreRequest(file, TEXT)).toEqual(body);
  });

  test('a text of a few letters is not looked for', () => {
    const { wireBody } = completion('', 'a cat');
    expect(requestFile(wireBody, { sha256: 'x', text: 'a' })).toEqual({ v: 1, references: false, body: wireBody });
  });

  test('is lossless for any body', () => {
    const content = fc.oneof(
      fc.array(fc.constantFrom(TEXT.text, 'x', '\n', TEXT.text.slice(1))).map((parts) => parts.join('')),
      fc.jsonValue(),
    );
    const body = fc.record({
      messages: fc.oneof(fc.array(fc.oneof(fc.record({ role: fc.string(), content }), fc.jsonValue())), fc.jsonValue()),
      other: fc.jsonValue(),
    });
    fc.assert(
      fc.property(body, (value) => {
        const wire: Json = JSON.parse(JSON.stringify(value));
        const stored = JSON.parse(JSON.stringify(requestFile(wire, TEXT)));
        expect(restoreRequest(stored, TEXT)).toEqual(wire);
      }),
      { numRuns: 300 },
    );
  });

  test('is lossless for any part of the text', () => {
    const spans = fc
      .tuple(fc.nat(TEXT.text.length), fc.nat(TEXT.text.length))
      .map(([a, b]) => ({ start: Math.min(a, b), end: Math.max(a, b) }));
    fc.assert(
      fc.property(spans, fc.string(), (part, around) => {
        const asked = TEXT.text.slice(part.start, part.end);
        const { wireBody } = completion('', `${around}${asked}${around}`);
        const file = requestFile(wireBody, TEXT, part);
        expect(file.references).toBe(asked.length >= 64);
        expect(restoreRequest(JSON.parse(JSON.stringify(file)), TEXT)).toEqual(wireBody);
      }),
      { numRuns: 300 },
    );
  });

  test('a reference to another text is refused', () => {
    const file = requestFile(completion('').wireBody, TEXT);
    expect(() => restoreRequest(file, { ...TEXT, sha256: 'e'.repeat(64) })).toThrow('Expected a reference to the text eee');
  });
});
