/** A line of text made of HTML. `level` is set for a heading, whose text is the bare title. */
export type FlowLine = { readonly text: string; readonly level: number | null };

/**
 * Collects text as a browser would lay it out: white space collapses, blocks begin lines. Inside `flat` parts (headings, table
 * rows) everything stays on one line. Pieces go to arrays: joining strings one by one took 32 s for a long specification.
 */
export class TextFlow {
  readonly #lines: FlowLine[] = [];
  #pieces: string[] = [];
  #level: number | null = null;
  #pendingSpace = false;
  #flatDepth = 0;
  #preDepth = 0;

  text(value: string): void {
    if (this.#preDepth > 0 && this.#flatDepth === 0) this.#preformatted(value);
    else this.#collapsed(value);
  }

  /** Ends the line, or separates words where the line must not end. */
  lineBreak(): void {
    if (this.#flatDepth > 0) this.#pendingSpace = true;
    else this.#endLine();
  }

  /** Ends the line and leaves a blank one. */
  paragraphBreak(): void {
    this.lineBreak();
    if (this.#flatDepth === 0) this.#lines.push({ text: '', level: null });
  }

  beginFlat(): void {
    this.#flatDepth += 1;
  }

  endFlat(): void {
    this.#flatDepth -= 1;
  }

  beginPre(): void {
    this.#preDepth += 1;
  }

  endPre(): void {
    this.#preDepth -= 1;
  }

  /** Marks the line that begins here as a heading. */
  headingLevel(level: number): void {
    this.#level = level;
  }

  finish(): readonly FlowLine[] {
    this.#endLine();
    return this.#lines;
  }

  #collapsed(value: string): void {
    const words = value.split(/[ \t\n\f\r]+/);
    for (const [index, word] of words.entries()) {
      if (index > 0) this.#pendingSpace = true;
      if (word === '') continue;
      if (this.#pendingSpace && this.#pieces.length > 0) this.#pieces.push(' ');
      this.#pendingSpace = false;
      this.#pieces.push(word);
    }
  }

  #preformatted(value: string): void {
    if (this.#pendingSpace && this.#pieces.length > 0) this.#pieces.push(' ');
    this.#pendingSpace = false;
    for (const [index, line] of value.split(/\r\n|\r|\n/).entries()) {
      if (index > 0) this.#pushLine();
      if (line !== '') this.#pieces.push(line);
    }
  }

  #endLine(): void {
    this.#pendingSpace = false;
    if (this.#pieces.length > 0) this.#pushLine();
    this.#level = null;
  }

  #pushLine(): void {
    this.#lines.push({ text: this.#pieces.join(''), level: this.#level });
    this.#pieces = [];
    this.#level = null;
  }
}
