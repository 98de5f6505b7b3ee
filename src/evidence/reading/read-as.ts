import type { DocumentFormat } from '../../domain/document.ts';
import { asciidocEdits } from './asciidoc-marks.ts';
import { entityEdits } from './entities.ts';
import { latexEdits } from './latex-marks.ts';
import { linePrefixEdits } from './line-prefixes.ts';
import { definedNames, linkEdits } from './markdown-links.ts';
import { type Edit, type Reading, readingOf, withoutOverlap } from './reading.ts';

/** Reads a text, or a quote of it, as a reader of the finished page does. */
export type Reader = (text: string) => Reading;

/** How texts like this one are read: Markdown's references are links only where the document defines them. HTML, DOCX and PDF are read already. */
export function readerOf(format: DocumentFormat, document: string): Reader {
  const defined = format === 'markdown' ? definedNames(document) : new Set<string>();
  return (text) => readingOf(text, editsOf(format, text, defined));
}

function editsOf(format: DocumentFormat, text: string, defined: ReadonlySet<string>): Edit[] {
  switch (format) {
    case 'latex':
      return latexEdits(text);
    case 'asciidoc':
      return withoutOverlap([...asciidocEdits(text), ...entityEdits(text), ...linePrefixEdits(text)]);
    case 'markdown':
      return withoutOverlap([...linkEdits(text, defined), ...entityEdits(text), ...linePrefixEdits(text)]);
    case 'text':
    case 'rfc':
      return withoutOverlap([...entityEdits(text), ...linePrefixEdits(text)]);
    case 'html':
    case 'docx':
    case 'pdf':
      return [];
  }
}

/** Whether emphasis and code are marked as in Markdown. */
export function hasMarkdownMarks(format: DocumentFormat): boolean {
  return format === 'markdown' || format === 'asciidoc';
}
