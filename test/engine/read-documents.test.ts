import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { canonicalTextOf } from '../../src/documents/content.ts';
import type { ExtractInput } from '../../src/documents/extract-input.ts';
import type { FoundFile } from '../../src/documents/files/find-files.ts';
import { readPlainText } from '../../src/documents/plain-text.ts';
import { estimateCount, NO_TOKENS } from '../../src/documents/tokens.ts';
import { sha256Hex } from '../../src/domain/canonical-json.ts';
import type { DocumentEntry } from '../../src/domain/manifest/resolved.ts';
import { enqueue, openPlanned } from '../../src/engine/enqueue.ts';
import type { ExtractedDocument } from '../../src/engine/extracted-document.ts';
import { planJobs } from '../../src/engine/plan.ts';
import type { Pool } from '../../src/engine/pool.ts';
import { type ReadDependencies, type ReadDocument, readDocuments } from '../../src/engine/read-documents.ts';
import { openStore } from '../../src/store/open.ts';
import type { StoredExtraction } from '../../src/store/rows.ts';
import { MANIFEST } from '../cli/sample-run.ts';

const ROUTES = new Map(
  Object.keys(MANIFEST.models).map((model) => [model, { endpoint: 'http://127.0.0.1:1/v1', laneId: 'lane', accountId: 'account' }]),
);

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aieval-read-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function file(name: string, text: string, stated: Partial<DocumentEntry> = {}): Promise<FoundFile> {
  const path = join(folder, name);
  await writeFile(path, text);
  return found(name, stated);
}

function found(name: string, stated: Partial<DocumentEntry> = {}): FoundFile {
  const entry = {
    include: name,
    literal: true,
    exclude: [],
    id: null,
    tags: [],
    passwordEnv: null,
    format: null,
    charset: null,
    optional: false,
  };
  return { documentId: name, path: join(folder, name), tags: [], entry: { ...entry, ...stated } };
}

function refuse(): Promise<never> {
  return Promise.reject(new Error('nothing of this kind is asked for here'));
}

function poolOf(extract: (input: ExtractInput) => Promise<ExtractedDocument>): Pool {
  return { size: 2, extract, parse: refuse, judge: refuse, merge: refuse, seek: refuse, close: () => Promise.resolve() };
}

function extractText({ bytes }: ExtractInput): Promise<ExtractedDocument> {
  const content = canonicalTextOf(readPlainText(Buffer.from(bytes).toString('utf8')));
  return Promise.resolve({ extraction: { ok: true, content }, tokens: estimateCount(content.text) });
}

function encrypted(): Promise<ExtractedDocument> {
  return Promise.resolve({
    extraction: { ok: false, reason: 'document_encrypted', message: 'it needs a password', password: 'missing' },
    tokens: NO_TOKENS,
  });
}

function lockedOtherwise(): Promise<ExtractedDocument> {
  return Promise.resolve({
    extraction: { ok: false, reason: 'document_encrypted', message: 'save it without a password' },
    tokens: NO_TOKENS,
  });
}

function refusing(): Promise<ExtractedDocument> {
  const extraction = { ok: false, reason: 'document_encrypted', message: 'the password does not open it', password: 'wrong' } as const;
  return Promise.resolve({ extraction, tokens: NO_TOKENS });
}

function dependencies(more: Partial<ReadDependencies>): ReadDependencies {
  return {
    pool: poolOf(extractText),
    known: () => Promise.resolve(null),
    password: () => undefined,
    shownPath: (path) => path,
    onProgress: () => undefined,
    ...more,
  };
}

/** What a run would have kept of these documents. */
function kept(documents: readonly ReadDocument[]): ReadDependencies['known'] {
  const rows = documents.flatMap(({ extractionKey, extraction, tokens }): [string, StoredExtraction][] =>
    extractionKey !== null && extraction.ok ? [[extractionKey, { content: extraction.content, ...tokens }]] : [],
  );
  const byKey = new Map(rows);
  return (key) => Promise.resolve(byKey.get(key) ?? null);
}

describe('reading documents', () => {
  test('gives bytes hash, size, text, tokens and key, in the order of the files', async () => {
    const files = [await file('b.md', 'Second text.'), await file('a.md', 'First text.')];
    const documents = await readDocuments(files, dependencies({}));
    expect(documents.map(({ documentId, sizeBytes }) => [documentId, sizeBytes])).toEqual([
      ['b.md', 12],
      ['a.md', 11],
    ]);
    expect(documents[0]?.bytesSha256).toBe(sha256Hex('Second text.'));
    expect(documents[0]?.extractionKey).toMatch(/^[0-9a-f]{64}$/);
  });

  test('of the same files a second time asks no thread', async () => {
    const files = [await file('a.md', 'One.'), await file('b.txt', 'Two.'), await file('copy.md', 'One.')];
    const first = await readDocuments(files, dependencies({}));
    const second = await readDocuments(files, dependencies({ pool: poolOf(refuse), known: kept(first) }));
    expect(second).toEqual(first);
  });

  test('that an earlier run enqueued asks no thread: the store kept their texts', async () => {
    const files = [await file('a.md', 'One.'), await file('b.txt', 'Two.')];
    const store = await openStore(join(folder, 'aieval.db'), {
      ...{ clock: Date.now, monotonic: () => performance.now(), hostId: 'boot-1', random: () => 0 },
      ...{ newToken: () => 'token', heartbeatThread: null },
    });
    try {
      const known = (key: string) => store.extraction(key);
      const documents = await readDocuments(files, dependencies({ known }));
      const plan = await planJobs(MANIFEST, documents, ROUTES);
      const run = {
        runId: 'r-1',
        outDir: join(folder, 'out'),
        forceNew: false,
        moveOut: false,
        manifestPath: join(folder, 'manifest.json'),
      };
      const opened = await openPlanned(store, { ...run, manifest: MANIFEST, documents, plan, routes: ROUTES, selection: null });
      await enqueue(store, opened.run, { documents, plan }, new AbortController().signal);
      expect(await readDocuments(files, dependencies({ pool: poolOf(refuse), known }))).toEqual(documents);
    } finally {
      await store.close();
    }
  });

  test('asks a thread again when bytes, format, charset or password are others', async () => {
    const before = kept(await readDocuments([await file('a.md', 'One.')], dependencies({})));
    const asked: string[] = [];
    const pool = poolOf((input) => {
      asked.push(`${input.format} ${input.charset} ${input.password}`);
      return extractText(input);
    });
    const again = [
      found('a.md'),
      found('a.md', { format: 'text' }),
      found('a.md', { charset: 'latin1' }),
      found('a.md', { passwordEnv: 'PW' }),
    ];
    await readDocuments(again, dependencies({ pool, known: before, password: () => 'sesame' }));
    expect(asked.sort()).toEqual(['null latin1 null', 'null null sesame', 'text null null']);
    await readDocuments([await file('a.md', 'Two.')], dependencies({ pool, known: before }));
    expect(asked).toHaveLength(4);
  });

  test('says that the variable of a password is not set, where one is needed', async () => {
    const files = [await file('a.pdf', 'x', { passwordEnv: 'PDF_PASSWORD' })];
    const reasons = async (more: Partial<ReadDependencies>) =>
      (await readDocuments(files, dependencies(more))).map(({ extraction }) => (extraction.ok ? 'ok' : extraction.message));
    expect(await reasons({ pool: poolOf(encrypted) })).toEqual([
      'it needs a password, and PDF_PASSWORD (passwordEnv) is not set; next: export PDF_PASSWORD=…',
    ]);
    expect(await reasons({ pool: poolOf(refusing), password: () => 'wrong' })).toEqual([
      'the password in PDF_PASSWORD does not open it; next: put its password into PDF_PASSWORD',
    ]);
    expect(await reasons({ pool: poolOf(lockedOtherwise) })).toEqual(['save it without a password']);
    const [unnamed] = await readDocuments([await file('b.pdf', 'x')], dependencies({ pool: poolOf(encrypted) }));
    expect(unnamed?.extraction).toMatchObject({
      message: 'it needs a password; next: name the variable that holds it as "passwordEnv" in the manifest',
    });
    expect(await reasons({})).toEqual(['ok']);
  });

  test('of a file that cannot be read gives a typed failure without a key', async () => {
    const [document] = await readDocuments([found('gone.md')], dependencies({}));
    expect(document).toMatchObject({
      bytesSha256: null,
      sizeBytes: null,
      extractionKey: null,
      extraction: { ok: false, reason: 'document_unreadable' },
    });
  });
});
