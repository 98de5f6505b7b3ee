import { beforeAll, describe, expect, test, vi } from 'vitest';
import { createEvidenceIndex, type EvidenceIndex } from '../../src/evidence/evidence-index.ts';
import { verifyQuote } from '../../src/evidence/verify-quote.ts';
import { ALTERATIONS } from './mutation/alterations.ts';
import { NOISES } from './mutation/noise.ts';
import { pick, seeded } from './mutation/random.ts';
import { sourceDocuments } from './mutation/sentences.ts';

const SEED = Number(process.env.AIEVAL_MUTATION_SEED ?? Math.floor(Math.random() * 1_000_000_000));
const EACH = 5_200;
const LEAST_HONEST = 0.999;
const MIN_CHARS = 12;

vi.setConfig({ testTimeout: 180_000 });

type Source = { readonly index: EvidenceIndex; readonly sentences: readonly string[]; readonly bare: string };
let sources: readonly Source[] = [];

beforeAll(async () => {
  const documents = await sourceDocuments();
  sources = documents.map(({ content, sentences }) => ({ index: createEvidenceIndex(content), sentences, bare: bare(content.text) }));
});

/** Without white space, and without the marks that an honest copy may lack: so that what an alteration left as it was is known for that. */
function bare(text: string): string {
  return text.replace(/[\s\u00ad"'“”’]/g, '').replace(/(?<=[A-Za-z])-(?=[A-Za-z])|(?<!\d)[.,]|[.,](?!\d)/g, '');
}

function chosen(random: () => number): { source: Source; sentence: string } {
  const all = sources.flatMap((source) => source.sentences.map((sentence) => ({ source, sentence })));
  const one = pick(all, random);
  if (one === undefined) throw new Error('no sentences');
  return one;
}

describe(`quotes of our own documents, changed at random (AIEVAL_MUTATION_SEED=${SEED})`, () => {
  test('there are enough sentences to change', () => {
    expect(sources.flatMap(({ sentences }) => sentences).length).toBeGreaterThan(150);
  });

  test(`of ${EACH} with layout noise at least 99.9 % are verified`, () => {
    const random = seeded(SEED);
    const refused: object[] = [];
    for (let count = 0; count < EACH; count += 1) {
      const { source, sentence } = chosen(random);
      const noises = Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick(NOISES, random) ?? NOISES[0]).filter(
        (noise) => noise !== undefined,
      );
      const quote = noises.reduce((text, noise) => noise.apply(text, random), sentence);
      const { status, reason, diff } = verifyQuote(source.index, quote, { minChars: MIN_CHARS });
      if (status !== 'verified') refused.push({ noises: noises.map(({ name }) => name), quote, status, reason, diff });
    }
    const honest = 1 - refused.length / EACH;
    expect(honest >= LEAST_HONEST ? [] : refused).toEqual([]);
  });

  test(`of ${EACH} that say something else none is verified`, () => {
    const random = seeded(SEED + 1);
    const believed: object[] = [];
    const made = new Map<string, number>();
    for (let tried = 0, count = 0; count < EACH && tried < 40 * EACH; tried += 1) {
      const { source, sentence } = chosen(random);
      const alteration = pick(ALTERATIONS, random);
      const quote = alteration?.apply(sentence, random, source.sentences) ?? null;
      // What still stands in the document, word for word, was not altered.
      if (alteration === undefined || quote === null || quote.length < MIN_CHARS || isStill(source, quote, alteration.name)) continue;
      count += 1;
      made.set(alteration.name, (made.get(alteration.name) ?? 0) + 1);
      const { status, tier, text } = verifyQuote(source.index, quote, { minChars: MIN_CHARS });
      if (status === 'verified' || status === 'elided') believed.push({ alteration: alteration.name, sentence, quote, status, tier, text });
    }
    expect([...made.values()].reduce((sum, count) => sum + count, 0)).toBe(EACH);
    expect(ALTERATIONS.map(({ name }) => name).filter((name) => !made.has(name))).toEqual([]);
    expect(believed).toEqual([]);
  });
});

/** The alterations that take from the edges leave words that stand there; it is the cut that makes them wrong. */
const OF_EDGES = new Set(['begun behind the negation', 'begun inside a number', 'ended inside a number']);

function isStill({ bare: document }: Source, quote: string, alteration: string): boolean {
  return !OF_EDGES.has(alteration) && document.includes(bare(quote));
}
