/** The usual prefixes of the namespaces that matter; the second set is that of "Strict Open XML". */
const PREFIXES: ReadonlyMap<string, string> = new Map([
  ['http://schemas.openxmlformats.org/wordprocessingml/2006/main', 'w'],
  ['http://purl.oclc.org/ooxml/wordprocessingml/main', 'w'],
  ['http://schemas.openxmlformats.org/officeDocument/2006/math', 'm'],
  ['http://purl.oclc.org/ooxml/officeDocument/math', 'm'],
  ['http://schemas.openxmlformats.org/officeDocument/2006/relationships', 'r'],
  ['http://purl.oclc.org/ooxml/officeDocument/relationships', 'r'],
  ['http://schemas.openxmlformats.org/markup-compatibility/2006', 'mc'],
  ['http://schemas.openxmlformats.org/drawingml/2006/main', 'a'],
  ['http://purl.oclc.org/ooxml/drawingml/main', 'a'],
  ['http://schemas.openxmlformats.org/drawingml/2006/picture', 'pic'],
  ['http://purl.oclc.org/ooxml/drawingml/picture', 'pic'],
  ['http://schemas.openxmlformats.org/drawingml/2006/chart', 'c'],
  ['http://purl.oclc.org/ooxml/drawingml/chart', 'c'],
  ['http://schemas.openxmlformats.org/drawingml/2006/diagram', 'dgm'],
  ['http://purl.oclc.org/ooxml/drawingml/diagram', 'dgm'],
  ['urn:schemas-microsoft-com:vml', 'v'],
  ['http://purl.org/dc/elements/1.1/', 'dc'],
]);

/** Attributes of these are read; of no other (`rsid` and its like make half of a document). */
const READ_ATTRIBUTES: ReadonlySet<string> = new Set(['w', 'm', 'r']);

type Scope = ReadonlyMap<string, string>;

/** Which prefix stands for which namespace, at each depth of an XML file. */
export class Namespaces {
  readonly #scopes: Scope[] = [];

  enter(attributes: readonly (readonly [name: string, value: string])[]): void {
    const outer = this.#scopes.at(-1) ?? NO_SCOPE;
    let scope: Map<string, string> | null = null;
    for (const [name, value] of attributes) {
      if (name !== 'xmlns' && !name.startsWith('xmlns:')) continue;
      scope ??= new Map(outer);
      scope.set(name === 'xmlns' ? '' : name.slice('xmlns:'.length), PREFIXES.get(value) ?? '');
    }
    this.#scopes.push(scope ?? outer);
  }

  leave(): void {
    this.#scopes.pop();
  }

  /** `w:p` of `ns0:p`; the bare name when the namespace is none of those that matter. */
  element(raw: string): string {
    const [prefix, local] = split(raw);
    const usual = this.#scopes.at(-1)?.get(prefix) ?? '';
    return usual === '' ? local : `${usual}:${local}`;
  }

  /** `null` for one that is not read. */
  attribute(raw: string): string | null {
    const [prefix, local] = split(raw);
    if (prefix === 'xmlns' || local === 'xmlns' || local.startsWith('rsid')) return null;
    if (prefix === '') return local;
    const usual = this.#scopes.at(-1)?.get(prefix) ?? '';
    return READ_ATTRIBUTES.has(usual) ? `${usual}:${local}` : null;
  }
}

const NO_SCOPE: Scope = new Map();

function split(raw: string): readonly [prefix: string, local: string] {
  const colon = raw.indexOf(':');
  return colon === -1 ? ['', raw] : [raw.slice(0, colon), raw.slice(colon + 1)];
}
