import { describe, expect, it } from 'vitest';
import { scrub, scrubValues } from '../../src/providers/secrets.ts';

describe('scrubbing', () => {
  it.each([
    ['a given key', 'the key opensesame-1 is wrong', 'the key [removed] is wrong'],
    ['a given key in JSON', '{"k":"quote\\"inside"}', '{"k":"[removed]"}'],
    ['an OpenAI key', 'Incorrect API key: sk-proj-AbC123_def456-ghi789.', 'Incorrect API key: [removed].'],
    ['a masked OpenAI key', 'Incorrect API key: sk-abcd*****************wxyz', 'Incorrect API key: [removed]'],
    ['a bearer token', 'authorization: Bearer abcdefghijklmnop.qrs', 'authorization: [removed]'],
    ['a Google key', 'key=AIzaSyA1234567890abcdefghijklmnopqrstu', 'key=[removed]'],
    ['a Groq key', 'gsk_0123456789abcdefgh', '[removed]'],
    ['a GitHub token', 'ghp_0123456789abcdefghijkl', '[removed]'],
  ])('removes %s', (_title, text, expected) => {
    expect(scrub(text, ['opensesame-1', 'quote"inside'])).toBe(expected);
  });

  it.each(['risk-assessment-management-plan', 'the bearer of this note', 'task-sk-1', 'Bearer token'])('leaves "%s" alone', (text) => {
    expect(scrub(text, ['x'])).toBe(text);
  });

  it('removes a key whole when another key is a part of it', () => {
    expect(scrubValues('abcdefgh-ijkl', ['abcdefgh', 'abcdefgh-ijkl'])).toBe('[removed]');
  });

  it('takes a short value for a word', () => {
    expect(scrubValues('none of the tests', ['none', 'test'])).toBe('none of the tests');
  });

  it('of values only leaves what merely looks like a key', () => {
    expect(scrubValues('Authorization: Bearer mF_9.B5f-4.1JqM-abc', ['opensesame-1'])).toBe('Authorization: Bearer mF_9.B5f-4.1JqM-abc');
  });
});
