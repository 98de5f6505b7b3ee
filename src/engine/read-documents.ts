import { readFile, stat } from 'node:fs/promises';
import type { ExtractInput } from '../documents/extract-input.ts';
import { extractionKey } from '../documents/extraction-key.ts';
import type { FoundFile } from '../documents/files/find-files.ts';
import { NO_TOKENS } from '../documents/tokens.ts';
import { sha256Hex } from '../domain/canonical-json.ts';
import type { Extraction } from '../domain/document.ts';
import { withNext } from '../domain/next-step.ts';
import type { DocumentReason } from '../domain/reason.ts';
import type { StoredExtraction } from '../store/rows.ts';
import type { ExtractedDocument } from './extracted-document.ts';
import { type Pool, PoolTimeout } from './pool.ts';

/** A document at plan time: its bytes' hash and what they gave. */
export type ReadDocument = ExtractedDocument & {
  readonly documentId: string;
  readonly path: string;
  readonly tags: readonly string[];
  readonly sizeBytes: number | null;
  /** `null` when the file could not be read. */
  readonly bytesSha256: string | null;
  /** Under which what its bytes gave is kept; `null` when the file could not be read. */
  readonly extractionKey: string | null;
};

export type ReadDependencies = {
  readonly pool: Pool;
  /** What an earlier run kept under the key; asked before anything is extracted. */
  readonly known: (extractionKey: string) => Promise<StoredExtraction | null>;
  readonly password: (envName: string) => string | undefined;
  /** A file's absolute path as messages have it: they go into reports, which are for others, too. */
  readonly shownPath: (path: string) => string;
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
  const bytes = await readBytes(file.path, deps.shownPath(file.path));
  if (typeof bytes === 'string') {
    return { ...base, sizeBytes: null, bytesSha256: null, extractionKey: null, ...noText('document_unreadable', bytes) };
  }
  const input = inputOf(file, bytes, deps);
  const bytesSha256 = sha256Hex(bytes);
  const key = extractionKey({ ...input, bytesSha256 });
  const extracted = (await knownExtraction(key, deps)) ?? (await extractBytes(input, deps));
  return { ...base, sizeBytes: bytes.byteLength, bytesSha256, extractionKey: key, ...withPasswordOf(file, extracted) };
}

async function knownExtraction(key: string, deps: ReadDependencies): Promise<ExtractedDocument | null> {
  const stored = await deps.known(key);
  if (stored === null) return null;
  const { content, ...tokens } = stored;
  return { extraction: { ok: true, content }, tokens };
}

/** The bytes, or one line that says why there are none. */
async function readBytes(path: string, shown: string): Promise<Uint8Array | string> {
  try {
    const { size } = await stat(path);
    if (size > MAX_BYTES) return `${shown} has ${size} bytes; the limit is ${MAX_BYTES}`;
    return await readFile(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error) return `cannot read ${shown} (${String(error.code)})`;
    throw error;
  }
}

function inputOf({ path, entry }: FoundFile, bytes: Uint8Array, deps: ReadDependencies): ExtractInput {
  const { passwordEnv, format, charset } = entry;
  const password = passwordEnv === null ? null : (deps.password(passwordEnv) ?? null);
  return { bytes, name: deps.shownPath(path), format, charset, password };
}

/** What bytes give, in a thread with its limits of time and memory. */
export async function extractBytes(input: ExtractInput, { pool }: Pick<ReadDependencies, 'pool'>): Promise<ExtractedDocument> {
  try {
    return await pool.extract(input);
  } catch (error) {
    if (error instanceof PoolTimeout) return noText('document_broken', `its extraction ${error.message}`);
    if (isOutOfMemory(error)) return noText('document_broken', 'its extraction needs too much memory');
    throw error;
  }
}

function withPasswordOf({ entry }: FoundFile, extracted: ExtractedDocument): ExtractedDocument {
  const { extraction } = extracted;
  return extraction.ok ? extracted : { ...extracted, extraction: { ...extraction, message: passwordText(extraction, entry.passwordEnv) } };
}

/** "Needs a password" alone would not tell that a variable was named, and which. */
export function passwordText({ message, password }: Extract<Extraction, { ok: false }>, variable: string | null): string {
  if (password === undefined) return message;
  if (variable === null) return withNext(message, 'name the variable that holds it as "passwordEnv" in the manifest');
  return password === 'missing'
    ? withNext(`${message}, and ${variable} (passwordEnv) is not set`, `export ${variable}=…`)
    : withNext(
        message.replace('the password', () => `the password in ${variable}`),
        `put its password into ${variable}`,
      );
}

function noText(reason: DocumentReason, message: string): ExtractedDocument {
  return { extraction: { ok: false, reason, message }, tokens: NO_TOKENS };
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}
