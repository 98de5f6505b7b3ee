import { deserialize, serialize } from 'node:v8';
import type { ExtractInput } from '../documents/extract-input.ts';
import type { PageRange, PdfContent } from '../documents/pdf/pdf-text.ts';
import type { ExtractedDocument } from './extracted-document.ts';

/** `parts`: all pages of the PDF in order, where they are read already; otherwise none. */
export type ExtractTask = { readonly input: ExtractInput; readonly parts: readonly ReadPages[] };

export type PagesTask = { readonly input: ExtractInput; readonly range: PageRange };

/** Pages on their way from one thread to another, packed because the main loop must not be held up by their many small parts. */
export type ReadPages = { readonly pageCount: number; readonly packed: Uint8Array };

export type ExtractThreads = {
  /** Both in the one thread that the document has for itself. */
  readonly extract: (task: ExtractTask) => Promise<ExtractedDocument>;
  readonly readPages: (task: PagesTask) => Promise<ReadPages | null>;
  /** In another thread; at once when one is spare. */
  readonly readPagesBeside: (task: PagesTask) => Promise<ReadPages | null>;
  /** How many threads have nothing to do, and no task waits for. */
  readonly spare: () => number;
};

/** Fewer pages are read before another thread has opened the file. */
const LEAST_PAGES = 32;
/** No PDF of so many pages is smaller. */
const LEAST_BYTES = 32_768;
const PDF_HEADER_WITHIN = 1024;

/** Extracts a document; the pages of a long PDF are read by all threads that are spare. What comes out is the same. */
export async function extractInThreads(input: ExtractInput, threads: ExtractThreads): Promise<ExtractedDocument> {
  return threads.extract({ input, parts: await readParts(input, threads) });
}

/** All pages in order, or none: a reading that is not smooth is left to one thread, which sees the whole file. */
async function readParts(input: ExtractInput, { readPages, readPagesBeside, spare }: ExtractThreads): Promise<readonly ReadPages[]> {
  if (spare() === 0 || !mayBeLongPdf(input.bytes)) return [];
  const front = await readPages({ input, range: { start: 0, end: 0 } });
  const ranges = rangesOf(front?.pageCount ?? 0, 1 + spare());
  if (ranges.length < 2) return [];
  const parts = await Promise.all(ranges.map((range, index) => (index === 0 ? readPages : readPagesBeside)({ input, range })));
  const read = parts.filter((part) => part !== null);
  return read.length === parts.length ? read : [];
}

/** For the way to another thread. */
export function packed(content: PdfContent): ReadPages {
  return { pageCount: content.pageCount, packed: serialize(content) };
}

/** What was packed. */
export function unpacked(pages: ReadPages): PdfContent {
  return deserialize(pages.packed);
}

function mayBeLongPdf(bytes: Uint8Array): boolean {
  return bytes.length >= LEAST_BYTES && Buffer.from(bytes.subarray(0, PDF_HEADER_WITHIN)).includes('%PDF-');
}

/** About as many pages for each thread, none for those that are not worth it. */
function rangesOf(pageCount: number, threads: number): readonly PageRange[] {
  const parts = Math.min(threads, Math.floor(pageCount / LEAST_PAGES));
  const edge = (part: number): number => Math.round((part * pageCount) / parts);
  return Array.from({ length: parts }, (_, part) => ({ start: edge(part), end: edge(part + 1) }));
}
