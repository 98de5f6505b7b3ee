import { createExtractor } from '../../src/documents/extract.ts';
import type { ExtractInput } from '../../src/documents/extract-input.ts';
import type { CanonicalText } from '../../src/domain/document.ts';

const extractor = createExtractor();

/** Input with nothing stated by the manifest. */
export function input(content: string | Uint8Array, name: string, stated: Partial<ExtractInput> = {}): ExtractInput {
  const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content;
  return { bytes, name, format: null, charset: null, password: null, ...stated };
}

/** The content of a document that must be readable. */
export async function contentOf(content: string | Uint8Array, name: string, stated: Partial<ExtractInput> = {}): Promise<CanonicalText> {
  const extraction = await extractor.extract(input(content, name, stated));
  if (!extraction.ok) throw new Error(`Expected ${name} to be readable, got ${extraction.reason}: ${extraction.message}`);
  return extraction.content;
}

/** Reason and message of a document that must not be readable. */
export async function failureOf(content: string | Uint8Array, name: string, stated: Partial<ExtractInput> = {}): Promise<string> {
  const extraction = await extractor.extract(input(content, name, stated));
  if (extraction.ok) throw new Error(`Expected ${name} to fail, got ${extraction.content.text.slice(0, 80)}`);
  return `${extraction.reason}: ${extraction.message}`;
}

/** Titles of sections, indented by level, as `1.1 Sub @offset-end`. */
export function outlineOf(content: CanonicalText): readonly string[] {
  return content.sections.map((section) => `${'  '.repeat(section.level - 1)}${section.title}`);
}
