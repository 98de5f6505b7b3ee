import { sha256Hex } from '../../src/domain/canonical-json.ts';
import type { CanonicalText, DocumentFormat } from '../../src/domain/document.ts';

/** A canonical text of pages joined by an empty line; line numbers count within each page. */
export function canonicalPages(pages: readonly string[], format: DocumentFormat = 'pdf', labels: readonly string[] = []): CanonicalText {
  const text = pages.join('\n\n');
  const lines = { start: [] as number[], number: [] as number[] };
  let offset = 0;
  const spans = pages.map((page, index) => {
    page.split('\n').reduce((start, line, at) => {
      lines.start.push(start);
      lines.number.push(at + 1);
      return start + line.length + 1;
    }, offset);
    const span = { number: index + 1, label: labels[index] ?? null, start: offset, end: offset + page.length };
    offset += page.length + 2;
    return span;
  });
  return {
    format,
    extractor: 'test',
    title: null,
    text,
    textSha256: sha256Hex(text),
    pages: format === 'pdf' ? spans : [],
    sections: [],
    lines,
    blocks: [],
    lostPages: [],
    warnings: [],
  };
}

/** A canonical text without pages. */
export function canonicalText(text: string, format: DocumentFormat = 'text'): CanonicalText {
  return canonicalPages([text], format);
}
