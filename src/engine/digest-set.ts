import { sha256Hex } from '../domain/canonical-json.ts';

/** Of a digest so many are kept, four bytes each: 16 bytes do not collide by chance. */
const WORDS = 4;
const DIGITS_PER_WORD = 8;
const DIGEST = /^[0-9a-f]{64}$/;
const FEWEST_PLACES = 1024;
const MOST_FILLED = 0.7;

/** A set of SHA-256 digests in hexadecimal: a million take some 30 MB, where a `Set` of them takes four times as much. */
export class DigestSet {
  /** A place without a digest is all 0. */
  #words = new Uint32Array(FEWEST_PLACES * WORDS);
  #size = 0;

  /** Whether it is new. */
  add(digest: string): boolean {
    const words = wordsOf(digest);
    const at = placeOf(this.#words, words);
    if (this.#words[at] !== 0) return false;
    this.#words.set(words, at);
    this.#size += 1;
    if (this.#size * WORDS > this.#words.length * MOST_FILLED) this.#grow();
    return true;
  }

  #grow(): void {
    const larger = new Uint32Array(this.#words.length * 2);
    for (let at = 0; at < this.#words.length; at += WORDS) {
      const words = this.#words.subarray(at, at + WORDS);
      if (words[0] !== 0) larger.set(words, placeOf(larger, words));
    }
    this.#words = larger;
  }
}

/** The first is never 0, so that it tells a place that is taken. */
function wordsOf(text: string): Uint32Array {
  const digest = DIGEST.test(text) ? text : sha256Hex(text);
  const words = new Uint32Array(WORDS);
  for (let at = 0; at < WORDS; at += 1) words[at] = Number.parseInt(digest.slice(at * DIGITS_PER_WORD, (at + 1) * DIGITS_PER_WORD), 16);
  if (words[0] === 0) words[0] = 1;
  return words;
}

/** Where the digest is, or the free place where it would be. */
function placeOf(all: Uint32Array, words: Uint32Array): number {
  const places = all.length / WORDS;
  let place = (words[0] ?? 0) % places;
  while (all[place * WORDS] !== 0 && !isAt(all, place * WORDS, words)) place = (place + 1) % places;
  return place * WORDS;
}

function isAt(all: Uint32Array, at: number, words: Uint32Array): boolean {
  return all[at] === words[0] && all[at + 1] === words[1] && all[at + 2] === words[2] && all[at + 3] === words[3];
}
