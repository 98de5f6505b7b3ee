import { readFileSync } from 'node:fs';
import { createExtractor } from '../../../src/documents/extract.ts';
import type { CanonicalText } from '../../../src/domain/document.ts';

export type SourceDocument = { readonly content: CanonicalText; readonly sentences: readonly string[] };

const FOLDER = new URL('../../../fixtures/quickstart/documents/', import.meta.url);
const NAMES = ['dram-refresh-paper.pdf', 'lease-protocol.txt', 'safety-requirements.md', 'sensor-api.html', 'uart-registers.md'];

/** Our own documents as they are extracted, and the sentences of their prose as a reader would copy them: on one line, hyphens at line ends joined. */
export async function sourceDocuments(): Promise<readonly SourceDocument[]> {
  const { extract } = createExtractor();
  const documents: SourceDocument[] = [];
  for (const name of NAMES) {
    const bytes = readFileSync(new URL(name, FOLDER));
    const extraction = await extract({ bytes, name, format: null, charset: null, password: null });
    if (!extraction.ok) throw new Error(`${name}: ${extraction.message}`);
    documents.push({ content: extraction.content, sentences: sentencesOf(extraction.content.text) });
  }
  return documents;
}

const FEWEST_WORDS = 7;
/** Prose only: rows of tables, listings and headings are no sentences. */
const PROSE = /^[A-Z][^|{}=<>#]*[a-z0-9)%]\.$/;

function sentencesOf(text: string): readonly string[] {
  const paragraphs = text.split(/\n\s*\n/).map((paragraph) =>
    paragraph
      .replace(/(?<=[a-z])-\n\s*(?=[a-z])/g, '')
      .replace(/\s+/g, ' ')
      .trim(),
  );
  const sentences = paragraphs.flatMap((paragraph) => paragraph.split(/(?<=[a-z0-9)%]\.) (?=[A-Z])/));
  return [...new Set(sentences)].filter((sentence) => PROSE.test(sentence) && sentence.split(' ').length >= FEWEST_WORDS);
}
