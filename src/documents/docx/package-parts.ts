import { DocumentFailure } from '../document-failure.ts';
import { parseXml, type XmlElement } from './xml.ts';
import { attributeOf, elementsOf, textOf } from './xml-tree.ts';
import type { ZipParts } from './zip-parts.ts';

/** The parts of a Word file that text is taken from; `null` or empty where there are none. */
export type PackageParts = {
  readonly document: XmlElement;
  readonly styles: XmlElement | null;
  readonly numbering: XmlElement | null;
  readonly footnotes: XmlElement | null;
  readonly endnotes: XmlElement | null;
  readonly comments: XmlElement | null;
  /** Heads and feet of pages. */
  readonly margins: readonly XmlElement[];
  /** Of the file's properties. */
  readonly title: string | null;
};

/** What says nothing about the text, and makes up most of a file. */
const SKIPPED: ReadonlySet<string> = new Set([
  'w:rPrChange',
  'w:pPrChange',
  'w:tblPrChange',
  'w:trPrChange',
  'w:tcPrChange',
  'w:sectPrChange',
  'w:numberingChange',
  'w:sectPr',
  'w:proofErr',
  'w:rFonts',
  'w:lang',
  'w:szCs',
  'w:spacing',
  'w:ind',
  'w:jc',
  'w:tblBorders',
  'w:tcBorders',
  'w:tblGrid',
  'w:tcW',
  'w:latentStyles',
  'w:bookmarkStart',
  'w:bookmarkEnd',
  'w:lastRenderedPageBreak',
]);

/** Finds and parses the parts, by their relationships, else by their usual names. Throws `DocumentFailure` (`document_broken`). */
export function packageParts(zip: ZipParts): PackageParts {
  const read = (path: string): XmlElement | null => {
    const bytes = zip.read(path);
    return bytes === null ? null : parseXml(path, decoded(path, bytes), SKIPPED);
  };
  const root = relations(read, '');
  const documentPath = root.first('officeDocument') ?? 'word/document.xml';
  const document = read(documentPath);
  if (document === null) throw new DocumentFailure('document_broken', `not a Word document: its ZIP has no ${documentPath}`);
  if (document.name !== 'w:document')
    throw new DocumentFailure('document_broken', `not a Word document: ${documentPath} holds <${document.name}>`);
  const related = relations(read, documentPath);
  const part = (type: string) => read(related.first(type) ?? `word/${type}.xml`);
  return {
    document,
    styles: part('styles'),
    numbering: part('numbering'),
    footnotes: part('footnotes'),
    endnotes: part('endnotes'),
    comments: part('comments'),
    margins: [...related.all('header'), ...related.all('footer')].flatMap((path) => read(path) ?? []),
    title: titleOf(read(root.first('core-properties') ?? 'docProps/core.xml')),
  };
}

function titleOf(core: XmlElement | null): string | null {
  const title = elementsOf(core, 'dc:title')[0];
  const text = title === undefined ? '' : textOf(title).trim();
  return text === '' ? null : text;
}

type Relations = { readonly first: (type: string) => string | null; readonly all: (type: string) => readonly string[] };

/** Paths by the last word of their type: its beginning differs between the two kinds of Office files. */
function relations(read: (path: string) => XmlElement | null, from: string): Relations {
  const slash = from.lastIndexOf('/') + 1;
  const folder = from.slice(0, slash);
  const listed = elementsOf(read(`${folder}_rels/${from.slice(slash)}.rels`), 'Relationship').flatMap((relation) => {
    const target = attributeOf(relation, 'Target');
    if (target === null || attributeOf(relation, 'TargetMode') === 'External') return [];
    return [{ type: attributeOf(relation, 'Type')?.split('/').at(-1) ?? '', path: joined(folder, target) }];
  });
  const all = (type: string) => [...new Set(listed.filter((each) => each.type === type).map(({ path }) => path))];
  return { all, first: (type) => all(type)[0] ?? null };
}

function joined(folder: string, target: string): string {
  const parts: string[] = [];
  for (const part of (target.startsWith('/') ? target : `${folder}${target}`).split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return parts.join('/');
}

/** Office writes UTF-8; UTF-16 is allowed. */
function decoded(path: string, bytes: Uint8Array): string {
  const charset = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8';
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new DocumentFailure('document_broken', `${path} is not ${charset.toUpperCase()} text`, { cause: error });
  }
}
