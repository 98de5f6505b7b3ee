import { type DocxParts, docxFile } from '../../../fixtures/make/docx-file.ts';
import { canonicalTextOf } from '../../../src/documents/content.ts';
import { DocumentFailure } from '../../../src/documents/document-failure.ts';
import { readDocx } from '../../../src/documents/docx/docx.ts';
import type { CanonicalText } from '../../../src/domain/document.ts';

export async function read(parts: DocxParts | Uint8Array): Promise<CanonicalText> {
  return canonicalTextOf(await readDocx(parts instanceof Uint8Array ? parts : docxFile(parts)));
}

/** Lines with words in them, of a document with that body. */
export async function linesOf(parts: DocxParts | string): Promise<readonly string[]> {
  const { text } = await read(typeof parts === 'string' ? { body: parts } : parts);
  return text.split('\n').filter((line) => line !== '');
}

/** Reason and message of a file that must not be readable. */
export async function failureOf(bytes: Uint8Array): Promise<string> {
  try {
    return `read: ${(await read(bytes)).text.slice(0, 80)}`;
  } catch (error) {
    if (error instanceof DocumentFailure) return `${error.reason}: ${error.message}`;
    throw error;
  }
}
