/** A line of text made of HTML. `level` is set for a heading, whose text is the bare title; `anchor` is its id. */
export type FlowLine = { readonly text: string; readonly level: number | null; readonly anchor?: string };

const NO_HEADING = { level: null };

/**
 * Collects text as a browser would lay it out: white space collapses, blocks begin lines. Inside `flat` parts (headings, table
 * rows) everything stays on one line. Pieces go to arrays: joining strings one by one took 32 s for a long specification.
 */
export class TextFlow {
  readonly #lines: FlowLine[] = [];
  #pieces: string[] = [];
  #heading: Omit<FlowLine, 'text'> = NO_HEADING;
  /** What goes before the next words. */
  #prefix = '';
  #pendingSpace = false;
  #flatDepth = 0;
  #preDepth = 0;

  text(value: string): void {
    if (this.#preDepth > 0 && this.#flatDepth === 0) this.#preformatted(value);
    else this.#collapsed(value);
  }

  /** Text straight behind the words before it. */
  textBehind(value: string): void {
    this.#pendingSpace = false;
    this.text(value);
  }

  /** Ends the line, or separates words where the line must not end. */
  lineBreak(): void {
    if (this.#flatDepth > 0) this.#pendingSpace = true;
    else this.#endLine();
  }

  /** Ends the line and leaves a blank one. */
  paragraphBreak(): void {
    this.lineBreak();
    if (this.#flatDepth === 0) this.#lines.push({ text: '', ...NO_HEADING });
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

  /** Goes before the words that come next, on whatever line they stand. */
  prefix(text: string): void {
    this.#prefix += text;
  }

  /** No words came. */
  dropPrefix(): void {
    this.#prefix = '';
  }

  /** Marks the line that begins here as a heading. */
  heading(level: number, anchor: string | null): void {
    this.#heading = anchor === null ? { level } : { level, anchor };
  }

  /** How many lines have ended. */
  get lineCount(): number {
    return this.#lines.length;
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
      this.#pushPrefix();
      this.#pieces.push(word);
    }
  }

  #preformatted(value: string): void {
    if (this.#pendingSpace && this.#pieces.length > 0) this.#pieces.push(' ');
    this.#pendingSpace = false;
    for (const [index, line] of value.split(/\r\n|\r|\n/).entries()) {
      if (index > 0) this.#pushLine();
      if (line === '') continue;
      this.#pushPrefix();
      this.#pieces.push(line);
    }
  }

  #pushPrefix(): void {
    if (this.#prefix === '') return;
    this.#pieces.push(this.#prefix);
    this.#prefix = '';
  }

  #endLine(): void {
    this.#pendingSpace = false;
    if (this.#pieces.length > 0) this.#pushLine();
    this.#heading = NO_HEADING;
  }

  #pushLine(): void {
    this.#lines.push({ text: this.#pieces.join(''), ...this.#heading });
    this.#pieces = [];
    this.#heading = NO_HEADING;
  }
}
