/** Which font size most glyphs of a line are set in. */
export class SizeCount {
  readonly #glyphs = new Map<number, number>();
  #size = 0;
  /** Glyphs of the current size that are not counted yet: sizes change seldom, glyphs are many. */
  #pending = 0;

  goOnWith(size: number): void {
    if (size === this.#size) return;
    this.#flush();
    this.#size = size;
  }

  add(): void {
    this.#pending += 1;
  }

  /** The size of most glyphs since the last call, 0 without any; the count starts anew. */
  takeCommon(): number {
    this.#flush();
    let common = 0;
    let most = 0;
    for (const [size, glyphs] of this.#glyphs) {
      if (glyphs > most) [common, most] = [size, glyphs];
    }
    this.#glyphs.clear();
    return common;
  }

  #flush(): void {
    if (this.#pending > 0) this.#glyphs.set(this.#size, (this.#glyphs.get(this.#size) ?? 0) + this.#pending);
    this.#pending = 0;
  }
}
