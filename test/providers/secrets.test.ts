import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scrub, scrubValues, secretsOf } from '../../src/providers/secrets.ts';
import { leaks, spellingsOf } from './spellings.ts';

/** As a header can carry them. */
const KEYS = fc.string({ unit: 'grapheme-ascii', minLength: 8, maxLength: 40 }).filter((key) => key.trim().length >= 8);

describe('scrubbing', () => {
  it.each([
    ['a given key', 'the key opensesame-1 is wrong', 'the key [removed] is wrong'],
    ['a given key in hexadecimal', 'got 6f70656e736573616d652d31.', 'got [removed].'],
    ['a given key in JSON', '{"k":"quote\\"inside"}', '{"k":"[removed]"}'],
    ['an OpenAI key', 'Incorrect API key: sk-proj-AbC123_def456-ghi789.', 'Incorrect API key: [removed].'],
    ['a masked OpenAI key', 'Incorrect API key: sk-abcd*****************wxyz', 'Incorrect API key: [removed]'],
    ['a bearer token', 'authorization: Bearer abcdefghijklmnop.qrs', 'authorization: [removed]'],
    ['a Google key', 'key=AIzaSyA1234567890abcdefghijklmnopqrstu', 'key=[removed]'],
    ['a Groq key', 'gsk_0123456789abcdefgh', '[removed]'],
    ['a GitHub token', 'ghp_0123456789abcdefghijkl', '[removed]'],
  ])('removes %s', (_title, text, expected) => {
    expect(scrub(text, secretsOf(['opensesame-1', 'quote"inside']))).toBe(expected);
  });

  it.each(['risk-assessment-management-plan', 'the bearer of this note', 'task-sk-1', 'Bearer token'])('leaves "%s" alone', (text) => {
    expect(scrub(text, secretsOf(['x']))).toBe(text);
  });

  it('removes a key whole when another key is a part of it', () => {
    expect(scrubValues('abcdefgh-ijkl', secretsOf(['abcdefgh', 'abcdefgh-ijkl']))).toBe('[removed]');
  });

  it('takes a short value for a word', () => {
    expect(scrubValues('none of the tests', secretsOf(['none', 'test']))).toBe('none of the tests');
  });

  it('of values only leaves what merely looks like a key', () => {
    const text = 'Authorization: Bearer mF_9.B5f-4.1JqM-abc';
    expect(scrubValues(text, secretsOf(['opensesame-1']))).toBe(text);
  });

  it('removes what stands behind the first word of a header, too', () => {
    expect(scrubValues('got mF_9.B5f-4', secretsOf(['Token mF_9.B5f-4']))).toBe('got [removed]');
  });

  it('removes a key in every spelling and letter case, wherever it stands', () => {
    const text = fc.string({ unit: 'grapheme-ascii', maxLength: 12 });
    fc.assert(
      fc.property(KEYS, text, text, (key, before, after) => {
        for (const spelled of Object.values(spellingsOf(key))) {
          expect(leaks(scrubValues(before + spelled + after, secretsOf([key])), key)).toEqual([]);
        }
      }),
    );
  });

  it('leaves every text alone that does not hold the key', () => {
    const secrets = secretsOf(['Zq7/Rt+"Wv<9>&Yp']);
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
        expect(scrubValues(text, secrets)).toBe(text);
      }),
    );
  });

  it.each([
    ['\\\\a'.repeat(9), '\\\\\\a'.repeat(3000)],
    ['\\'.repeat(24), `${'\\'.repeat(20_000)}u005`],
    ['%25%25%25%25', '%252525'.repeat(3000)],
    ['&amp;&amp;&amp;x', '&amp;amp;amp;'.repeat(3000)],
  ])('is not led astray by a key like %s', (key, text) => {
    expect(scrubValues(text, secretsOf([key])).length).toBeLessThanOrEqual(text.length);
  });
});
