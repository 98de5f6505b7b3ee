import type { ResultLine } from '../../domain/result-line.ts';

/** How a document's lines can be shown by line: as they are, without a line, or not at all. */
export type SourceKind = 'lines' | 'file' | 'none';

/** By extractor: the lines of a PDF and a DOCX are no file's, those of HTML are counted in the text that was taken out of it. */
const KINDS: Readonly<Record<string, SourceKind>> = {
  md: 'lines',
  text: 'lines',
  rfc: 'lines',
  adoc: 'lines',
  latex: 'lines',
  html: 'file',
  pdf: 'none',
  docx: 'none',
};

const PACKED = /\.(?:gz|gzip)$/i;

/** Told by what has read the document; where that is not known, by its name. */
export function sourceKind({ document, coverage }: Pick<ResultLine, 'document' | 'coverage'>): SourceKind {
  if (PACKED.test(document)) return 'none';
  const extractor = coverage?.extractor.split('@')[0] ?? '';
  if (Object.hasOwn(KINDS, extractor)) return KINDS[extractor] ?? 'none';
  if (/\.(?:pdf|docx)$/i.test(document)) return 'none';
  return /\.x?html?$/i.test(document) ? 'file' : 'lines';
}

/** A path as a URI that is relative to wherever code scanning looks from. */
export function relativeUri(path: string): string {
  const clean = path
    .replace(/\p{Cs}/gu, '\ufffd')
    .replaceAll('\\', '/')
    .replace(/^\.\//, '');
  return clean.split('/').map(encodeURIComponent).join('/');
}
