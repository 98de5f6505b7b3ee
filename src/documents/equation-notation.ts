/** How equations stand on one line, whatever format they come from: `x^2`, `a_(i,j)`, `(a+b)/2`, `√[3](x)`. */

/** Text of parts that follow each other. A letter behind a raised or lowered one would seem to be so too, so a space parts them. */
export class EquationLine {
  readonly #pieces: string[] = [];
  #isShifted = false;
  #endsInWord = false;

  /** `isShifted`: the piece ends in a raised or lowered part. `isApart`: it must not grow together with a word before it. */
  add(piece: string, isShifted: boolean, isApart = false): void {
    if (piece === '') return;
    if ((this.#isShifted || isApart) && this.#endsInWord && /^[\p{L}\p{N}]/u.test(piece)) this.#pieces.push(' ');
    this.#pieces.push(piece);
    this.#isShifted = isShifted;
    this.#endsInWord = /[\p{L}\p{N}]$/u.test(piece.slice(-2));
  }

  get text(): string {
    return this.#pieces.join('');
  }
}

/** In parentheses, unless it is one word, one number, or bracketed already. */
export function grouped(text: string): string {
  return /^(?:[\p{L}\p{N}\p{M}.]*|[^\s\p{L}\p{N}])$/u.test(text) || isBracketed(text) ? text : `(${text})`;
}

/** Whether the bracket that begins the text is the one that ends it. */
export function isBracketed(text: string): boolean {
  if (!/^[([{]/.test(text) || !/[)\]}]$/.test(text)) return false;
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index] ?? '';
    if ('([{'.includes(character)) depth += 1;
    if (')]}'.includes(character)) depth -= 1;
    if (depth === 0) return index === text.length - 1;
  }
  return false;
}

/** A base with what is below and above it on its right; an empty part is none. */
export function shifted(base: string, below: string, above: string): string {
  return `${grouped(base)}${below === '' ? '' : `_${grouped(below)}`}${above === '' ? '' : `^${grouped(above)}`}`;
}

/** Without a bar it is a binomial: one above the other, no quotient. */
export function fraction(above: string, below: string, hasBar: boolean): string {
  return hasBar ? `${grouped(above)}/${grouped(below)}` : `${above} ¦ ${below}`;
}

/** A root; `degree` is empty for the square root. */
export function root(inner: string, degree: string): string {
  const sign = degree === '' ? '√' : `√[${degree}]`;
  return isBracketed(inner) ? `${sign}${inner}` : `${sign}(${inner})`;
}

/** Rows of cells in brackets. */
export function matrix(rows: readonly (readonly string[])[]): string {
  return `[${rows.map((row) => row.join(', ')).join('; ')}]`;
}

/** One space for each run of white space, none at the ends. */
export function collapse(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
