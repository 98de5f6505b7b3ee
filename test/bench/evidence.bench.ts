import { expect, it } from 'vitest';
import { createEvidenceIndex } from '../../src/evidence/evidence-index.ts';
import { createPromptText } from '../../src/evidence/prompt-text.ts';
import { verifyQuote } from '../../src/evidence/verify-quote.ts';
import { canonicalText } from '../evidence/canonical.ts';
import { median } from './median.ts';

const CHARACTERS = 3_000_000;
const ROUNDS = 7;

/** A text of a thousand pages in which no sentence stands twice. */
function longText(): string {
  const sentences: string[] = [];
  for (let length = 0, n = 1; length < CHARACTERS; n += 1) {
    const sentence = `Lantern ${n} of the quay must be lit within ${(n * 7) % 60} minutes of dusk, and its keeper re-\nports to office ${n % 97}.`;
    sentences.push(sentence);
    length += sentence.length + 1;
  }
  return sentences.join(' ');
}

function timeMs(work: () => unknown): number {
  return median(
    Array.from({ length: ROUNDS }, () => {
      const begun = performance.now();
      work();
      return performance.now() - begun;
    }),
  );
}

/** The plainest thing that looks at every character. */
function onePass(text: string): number {
  let sum = 0;
  for (let i = 0; i < text.length; i += 1) sum += text.charCodeAt(i) & 1;
  return sum;
}

it('a thousand pages are indexed, and looked up in, in a few passes over their text', () => {
  const text = longText();
  const content = canonicalText(text);
  const index = createEvidenceIndex(content);
  const middle = text.slice(text.indexOf('Lantern 12000 '), text.indexOf('Lantern 12001 ')).trim();
  const absent = 'Every herring that was sold in the northern market had a silver ring and a name of its own.';
  const promptText = createPromptText('Is it so?');
  const verify = (quote: string) => verifyQuote(index, quote, { minChars: 12, seen: [{ start: 0, end: text.length }], promptText });
  expect(verify(middle)).toMatchObject({ status: 'verified', occurrences: 1, seen: true });
  expect(verify(absent)).toMatchObject({ reason: 'not_found' });

  const passMs = timeMs(() => onePass(text));
  const searchMs = timeMs(() => text.indexOf('no such words at all'));
  const indexMs = timeMs(() => createEvidenceIndex(content));
  const hitMs = timeMs(() => verify(middle));
  const missMs = timeMs(() => verify(absent));
  const alteredMs = timeMs(() => verify(middle.replace('must be', 'must not be')));
  console.log(
    `${text.length} characters: one pass ${passMs.toFixed(1)} ms, one search ${searchMs.toFixed(2)} ms; index ${indexMs.toFixed(0)} ms, ` +
      `hit ${hitMs.toFixed(2)} ms, miss ${missMs.toFixed(1)} ms, altered ${alteredMs.toFixed(1)} ms`,
  );
  expect(indexMs / passMs).toBeLessThan(250);
  expect(hitMs / searchMs).toBeLessThan(30);
  expect(missMs / passMs).toBeLessThan(60);
});
