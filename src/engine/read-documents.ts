import { readFile, stat } from 'node:fs/promises';
import type { FoundFile } from '../documents/find-files.ts';
import { NO_TOKENS } from '../documents/tokens.ts';
import { sha256Hex } from '../domain/canonical-json.ts';
import type { DocumentReason } from '../domain/reason.ts';
import { type ExtractedDocument, type Pool, PoolTimeout } from './pool.ts';

/** A document at plan time: its bytes' hash and what they gave. */
export type ReadDocument = ExtractedDocument & {
  readonly documentId: string;
  readonly path: string;
  readonly tags: readonly string[];
  readonly sizeBytes: number | null;
  /** `null` when the file could not be read. */
  readonly bytesSha256: string | null;
};

export type ReadDependencies = {
  readonly pool: Pool;
  readonly password: (envName: string) => string | undefined;
  readonly onProgress: (progress: { done: number; total: number; documentId: string }) => void;
};

const MAX_BYTES = 256 * 1024 * 1024;

/** Reads and extracts every file, as many at once as there are threads, so that memory holds few of them. Order is kept. */
export async function readDocuments(files: readonly FoundFile[], deps: ReadDependencies): Promise<ReadDocument[]> {
  const documents: (ReadDocument | undefined)[] = files.map(() => undefined);
  const queue = files.entries();
  let done = 0;
  const lane = async (): Promise<void> => {
    for (const [index, file] of queue) {
      documents[index] = await readDocument(file, deps);
      done += 1;
      deps.onProgress({ done, total: files.length, documentId: file.documentId });
    }
  };
  await Promise.all(Array.from({ length: deps.pool.size }, lane));
  return documents.filter((document) => document !== undefined);
}

async function readDocument(file: FoundFile, deps: ReadDependencies): Promise<ReadDocument> {
  const base = { documentId: file.documentId, path: file.path, tags: file.tags };
  const bytes = await readBytes(file.path);
  if (typeof bytes === 'string') {
    return { ...base, sizeBytes: null, bytesSha256: null, ...noText('document_unreadable', bytes) };
  }
  const bytesSha256 = sha256Hex(bytes);
  const sizeBytes = bytes.byteLength;
  const extracted = await extractBytes(file, bytes, deps);
  return { ...base, sizeBytes, bytesSha256, ...extracted };
}

/** The bytes, or one line that says why there are none. */
async function readBytes(path: string): Promise<Uint8Array | string> {
  try {
    const { size } = await stat(path);
    if (size > MAX_BYTES) return `${path} has ${size} bytes; the limit is ${MAX_BYTES}`;
    return await readFile(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error) return `cannot read ${path} (${String(error.code)})`;
    throw error;
  }
}

async function extractBytes(file: FoundFile, bytes: Uint8Array, deps: ReadDependencies): Promise<ExtractedDocument> {
  const { passwordEnv, format, charset } = file.entry;
  const password = passwordEnv === null ? null : (deps.password(passwordEnv) ?? null);
  try {
    return await deps.pool.extract({ bytes, name: file.path, format, charset, password });
  } catch (error) {
    if (error instanceof PoolTimeout) return noText('document_broken', `its extraction ${error.message}`);
    if (isOutOfMemory(error)) return noText('document_broken', 'its extraction needs too much memory');
    throw error;
  }
}

function noText(reason: DocumentReason, message: string): ExtractedDocument {
  return { extraction: { ok: false, reason, message }, tokens: NO_TOKENS };
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}
