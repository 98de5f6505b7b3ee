import type { Look } from './look.ts';
import { CONTINUES } from './paragraph-numbers.ts';

/** Collects the runs of one paragraph as XML for mammoth; neighbours that look the same become one run. */
export class RunWriter {
  readonly #pieces: string[] = [];
  readonly #words: string[] = [];
  #properties: string | null = null;
  #continues = false;
  #hasText = false;

  get hasText(): boolean {
    return this.#hasText;
  }

  text(value: string, look: Look): void {
    if (value === '') return;
    const isBlank = value.trim() === '';
    // Before the words, not the break: a break at the end of a paragraph begins no line.
    const mark = this.#continues && !isBlank ? CONTINUES : '';
    if (!isBlank) {
      this.#continues = false;
      this.#hasText = true;
    }
    this.#words.push(value);
    this.#element(`<w:t xml:space="preserve">${mark}${escaped(value)}</w:t>`, look);
  }

  /** None at the beginning. */
  lineBreak(look: Look): void {
    if (!this.#hasText) return;
    this.#continues = true;
    this.#words.push(' ');
    this.#element('<w:br/>', look);
  }

  /** A symbol by font and code, which mammoth looks up. */
  symbol(font: string, code: string, look: Look): void {
    this.#hasText = true;
    this.#element(`<w:sym w:font="${escaped(font)}" w:char="${escaped(code)}"/>`, look);
  }

  #element(xml: string, look: Look): void {
    const properties = propertiesOf(look);
    if (properties !== this.#properties) {
      if (this.#properties !== null) this.#pieces.push('</w:r>');
      this.#pieces.push(`<w:r>${properties}`);
      this.#properties = properties;
    }
    this.#pieces.push(xml);
  }

  /** The bare text. */
  words(): string {
    return this.#words.join('');
  }

  finish(): string {
    if (this.#properties !== null) this.#pieces.push('</w:r>');
    return this.#pieces.join('');
  }
}

function propertiesOf({ struck, raised }: Look): string {
  const isRaised = raised === 'superscript' || raised === 'subscript';
  if (struck !== true && !isRaised) return '';
  return `<w:rPr>${struck === true ? '<w:strike/>' : ''}${isRaised ? `<w:vertAlign w:val="${raised}"/>` : ''}</w:rPr>`;
}

/** The mark that only this folder may set, and what XML cannot hold. */
const UNFIT = /[\ufdd0\ufffe\uffff]|\p{Cs}/gu;
const CONTROLS = /(?![\t\n\r])\p{Cc}/gu;

function escaped(text: string): string {
  const fit = text.replace(CONTROLS, '').replace(UNFIT, '\ufffd');
  return fit.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
