import { DocumentFailure } from '../document-failure.ts';
import { Namespaces } from './xml-names.ts';

/** An element by the usual prefix of its namespace, whatever prefix the file uses. */
export type XmlElement = {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlNode[];
};

export type XmlNode = XmlElement | string;

/** Tables in tables in text boxes come to about sixty. */
const MAX_DEPTH = 400;
const MAX_ELEMENTS = 8_000_000;

const NO_ATTRIBUTES: ReadonlyMap<string, string> = new Map();

/**
 * The root element of an XML part. Elements named in `skipped` are left out with all that they hold. A document type declaration is
 * refused: entities are what bombs and thefts are made of, and Office files have none. Throws `DocumentFailure` (`document_broken`).
 */
export function parseXml(part: string, xml: string, skipped: ReadonlySet<string> = new Set()): XmlElement {
  return new XmlReader(part, xml, skipped).read();
}

type Open = { readonly name: string; readonly raw: string; readonly attributes: ReadonlyMap<string, string>; readonly children: XmlNode[] };

class XmlReader {
  readonly #part: string;
  readonly #xml: string;
  readonly #skipped: ReadonlySet<string>;
  readonly #namespaces = new Namespaces();
  readonly #open: Open[] = [];
  #root: XmlElement | null = null;
  #elements = 0;
  /** Depth at which the skipped element stands; 0 outside of one. */
  #skippedAt = 0;

  constructor(part: string, xml: string, skipped: ReadonlySet<string>) {
    this.#part = part;
    this.#xml = xml;
    this.#skipped = skipped;
  }

  read(): XmlElement {
    const xml = this.#xml;
    let at = 0;
    while (at < xml.length) {
      const tag = xml.indexOf('<', at);
      if (tag === -1) break;
      if (tag > at) this.#text(xml.slice(at, tag));
      at = this.#markup(tag);
    }
    if (this.#open.length > 0 || this.#root === null) throw this.#bad('ends too early');
    return this.#root;
  }

  /** Reads the markup at `at` and says where it ends. */
  #markup(at: number): number {
    const xml = this.#xml;
    if (xml.startsWith('<?', at)) return this.#after('?>', at);
    if (xml.startsWith('<!--', at)) return this.#after('-->', at + 4);
    if (xml.startsWith('<![CDATA[', at)) {
      const end = this.#after(']]>', at);
      this.#push(xml.slice(at + 9, end - 3));
      return end;
    }
    if (xml.startsWith('<!', at)) throw this.#bad('has a document type declaration, which Office files may not have');
    const end = tagEnd(xml, at);
    if (end === -1) throw this.#bad('ends inside a tag');
    if (xml[at + 1] === '/') this.#close(xml.slice(at + 2, end).trim());
    else this.#begin(xml.slice(at + 1, end));
    return end + 1;
  }

  #after(mark: string, from: number): number {
    const at = this.#xml.indexOf(mark, from);
    if (at === -1) throw this.#bad('ends too early');
    return at + mark.length;
  }

  #begin(tag: string): void {
    const isEmpty = tag.endsWith('/');
    const raw = /^[^\s/]*/.exec(tag)?.[0] ?? '';
    if (raw === '') throw this.#bad('has a tag without a name');
    if (this.#open.length === 0 && this.#root !== null) throw this.#bad('has more than one root');
    if (this.#open.length >= MAX_DEPTH) throw this.#bad(`is nested more than ${MAX_DEPTH} deep`);
    this.#elements += 1;
    if (this.#elements > MAX_ELEMENTS) throw this.#bad(`has more than ${MAX_ELEMENTS} elements`);
    const pairs = this.#skippedAt > 0 ? [] : this.#attributePairs(tag.slice(raw.length, isEmpty ? -1 : undefined));
    this.#namespaces.enter(pairs);
    const name = this.#skippedAt > 0 ? raw : this.#namespaces.element(raw);
    this.#open.push({ name, raw, attributes: this.#attributesOf(pairs), children: [] });
    if (this.#skippedAt === 0 && this.#skipped.has(name)) this.#skippedAt = this.#open.length;
    if (isEmpty) this.#close(raw);
  }

  #attributesOf(pairs: readonly (readonly [string, string])[]): ReadonlyMap<string, string> {
    const kept = pairs.flatMap(([raw, value]) => {
      const name = this.#namespaces.attribute(raw);
      return name === null ? [] : [[name, value] as const];
    });
    return kept.length === 0 ? NO_ATTRIBUTES : new Map(kept);
  }

  #attributePairs(text: string): (readonly [string, string])[] {
    const pairs: (readonly [string, string])[] = [];
    // Sticky, so that each attempt has one place to begin: searching is quadratic in long runs without a value.
    const pair = /\s*([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/y;
    let end = 0;
    for (let found = pair.exec(text); found !== null; found = pair.exec(text)) {
      const [, name = '', double, single] = found;
      pairs.push([name, this.#decoded(double ?? single ?? '')]);
      end = pair.lastIndex;
    }
    if (text.slice(end).trim() !== '') throw this.#bad('has a tag that is not XML');
    return pairs;
  }

  #close(raw: string): void {
    const element = this.#open.at(-1);
    if (element === undefined || element.raw !== raw) throw this.#bad(`closes ${JSON.stringify(raw.slice(0, 40))} where it is not open`);
    const isSkipped = this.#skippedAt > 0;
    if (this.#skippedAt === this.#open.length) this.#skippedAt = 0;
    this.#open.pop();
    this.#namespaces.leave();
    const parent = this.#open.at(-1);
    if (parent === undefined) this.#root = element;
    else if (!isSkipped) parent.children.push(element);
  }

  #text(value: string): void {
    if (this.#skippedAt === 0) this.#push(this.#decoded(value));
  }

  #push(value: string): void {
    if (this.#skippedAt === 0) this.#open.at(-1)?.children.push(value);
  }

  #decoded(value: string): string {
    if (!value.includes('&')) return value;
    return value.replace(/&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|(\w+));?/g, (whole, decimal, hex, name) => {
      if (name === undefined) return characterOf(decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal));
      const known = ENTITIES.get(name);
      if (known === undefined) throw this.#bad(`has an entity that XML does not know: ${whole.slice(0, 40)}`);
      return known;
    });
  }

  #bad(what: string): DocumentFailure {
    return new DocumentFailure('document_broken', `${this.#part} ${what}`);
  }
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
]);

function characterOf(code: number): string {
  return code > 0x10ffff ? '\ufffd' : String.fromCodePoint(code);
}

/** Where the tag that begins at `at` ends; a `>` inside a value does not end it. */
function tagEnd(xml: string, at: number): number {
  let quote = '';
  for (let index = at + 1; index < xml.length; index += 1) {
    const character = xml[index];
    if (quote !== '') {
      if (character === quote) quote = '';
    } else if (character === '>') return index;
    else if (character === '"' || character === "'") quote = character;
  }
  return -1;
}
