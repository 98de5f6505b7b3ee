import { HIDDEN_KINDS, type HiddenKind } from './pdf-text.ts';

const SPACE = 0x20;

/** Which characters of a page are hidden, and how. */
export class HiddenMarks {
  /** Per character of the text page 0, or 1 + the index of its kind in `HIDDEN_KINDS`. */
  readonly #codes: Uint8Array;
  #isEmpty = true;

  constructor(count: number) {
    this.#codes = new Uint8Array(count);
  }

  /** Whether nothing is hidden. */
  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  /** How a character is hidden; `null` when it shows. */
  at(index: number): HiddenKind | null {
    const code = this.#codes[index] ?? 0;
    return code === 0 ? null : (HIDDEN_KINDS[code - 1] ?? null);
  }

  /** Marks a character that is not marked yet. */
  mark(index: number, kind: HiddenKind): void {
    this.#isEmpty = false;
    if (this.#codes[index] === 0) this.#codes[index] = codeOf(kind);
  }

  markAll(span: { readonly start: number; readonly end: number }, kind: HiddenKind): void {
    for (let index = span.start; index < span.end; index += 1) this.mark(index, kind);
  }

  clear(kinds: readonly HiddenKind[]): void {
    for (const kind of kinds) {
      const code = codeOf(kind);
      for (let index = this.#codes.indexOf(code); index >= 0; index = this.#codes.indexOf(code, index)) this.#codes[index] = 0;
    }
  }

  /** Whether any character of the span still counts as shown. */
  hasShown(span: { readonly start: number; readonly end: number }): boolean {
    return this.#codes.subarray(span.start, span.end).includes(0);
  }

  /** Share of the glyphs within the visible page that are hidden in one of these ways. `characters` are the code points of the page. */
  shareOf(kinds: readonly HiddenKind[], characters: Uint32Array): number {
    let glyphs = 0;
    let hidden = 0;
    for (const [index, character] of characters.entries()) {
      const kind = this.at(index);
      if (kind === 'outside' || character <= SPACE) continue;
      glyphs += 1;
      if (kind !== null && kinds.includes(kind)) hidden += 1;
    }
    return glyphs === 0 ? 0 : hidden / glyphs;
  }
}

function codeOf(kind: HiddenKind): number {
  return HIDDEN_KINDS.indexOf(kind) + 1;
}
