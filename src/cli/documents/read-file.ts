import { resolve } from 'node:path';
import { sha256Hex } from '../../domain/canonical-json.ts';
import type { CanonicalText } from '../../domain/document.ts';
import { UserError } from '../../domain/errors.ts';
import { advised } from '../../domain/next-step.ts';
import type { Pool } from '../../engine/pool.ts';
import { extractBytes, passwordText, type ReadDocument, readDocuments } from '../../engine/read-documents.ts';
import type { FileOptions } from '../commands/options.ts';
import { EXIT } from '../exit-codes.ts';
import type { CliIo } from '../io.ts';
import { openPool } from '../open-pool.ts';

/** One file as a run would read it: its text, and what its bytes are. */
export type ReadFile = Pick<ReadDocument, 'bytesSha256' | 'tokens'> & { readonly name: string; readonly content: CanonicalText };

const FROM_STDIN = '-';
/** As of any document. */
const LONGEST_STDIN_BYTES = 256 * 1024 * 1024;

/**
 * Reads one file, or with `-` what comes on stdin, in a thread of its own, with the time and memory that a run gives it. Throws `UserError`
 * (exit 2) with the typed reason where there is no usable text.
 */
export async function readFile(io: CliIo, name: string, options: FileOptions): Promise<ReadFile> {
  const variable = passwordEnv(io, options);
  const pool = openPool();
  try {
    const { extraction, bytesSha256, tokens } = await (name === FROM_STDIN
      ? readStdin(io, pool, options, variable)
      : readPath(io, pool, name, options, variable));
    if (!extraction.ok) throw noText(name, options, extraction);
    return { name, content: extraction.content, bytesSha256, tokens };
  } finally {
    await pool.close();
  }
}

type Read = Pick<ReadDocument, 'bytesSha256' | 'tokens' | 'extraction'>;

async function readPath(io: CliIo, pool: Pool, name: string, options: FileOptions, variable: string | null): Promise<Read> {
  const { format = null, charset = null } = options;
  const entry = { include: name, literal: true, exclude: [], id: name, tags: [], optional: false, format, charset, passwordEnv: variable };
  const found = { documentId: name, path: resolve(io.cwd, name), tags: [], entry };
  const deps = {
    pool,
    known: async () => null,
    password: (named: string) => io.env[named],
    shownPath: (path: string) => path,
    onProgress: () => undefined,
  };
  const [document] = await readDocuments([found], deps);
  if (document === undefined) throw new Error(`${name} was read, and is gone`);
  return document;
}

async function readStdin(io: CliIo, pool: Pool, options: FileOptions, variable: string | null): Promise<Read> {
  const { format = null, charset = null } = options;
  const bytes = await stdinBytes(io, LONGEST_STDIN_BYTES);
  const password = variable === null ? null : (io.env[variable] ?? null);
  const { extraction, tokens } = await extractBytes({ bytes, name: FROM_STDIN, format, charset, password }, { pool });
  const named = extraction.ok ? extraction : { ...extraction, message: passwordText(extraction, variable) };
  return { bytesSha256: sha256Hex(bytes), extraction: named, tokens };
}

/** All that comes on stdin. Throws `UserError` (exit 2) when it is more than `mostBytes`. */
export async function stdinBytes(io: CliIo, mostBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of io.stdin()) {
    const bytes = Buffer.from(chunk);
    sizeBytes += bytes.byteLength;
    if (sizeBytes > mostBytes) throw tooLong(mostBytes);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

function tooLong(mostBytes: number): UserError {
  const next = ['give a file that is shorter'];
  return new UserError({ code: 'E00', exitCode: EXIT.usage, message: `stdin has more than ${mostBytes} bytes`, next });
}

function passwordEnv({ env }: CliIo, { passwordEnv: variable }: FileOptions): string | null {
  if (variable === undefined || (env[variable] ?? '') !== '') return variable ?? null;
  throw new UserError({
    code: 'E05',
    exitCode: EXIT.usage,
    message: `--password-env names ${variable}, which is not set`,
    next: [`put the file's password into the environment variable ${variable}`],
  });
}

type Failed = Extract<Read['extraction'], { ok: false }>;

function noText(name: string, options: FileOptions, failed: Failed): UserError {
  const code = failed.reason === 'document_unreadable' ? 'E01' : 'E17';
  const { what, next } = advised(failed);
  const advice = optionAdvice(options, failed) ?? next;
  return new UserError({
    code,
    exitCode: EXIT.usage,
    message: `${name}: ${failed.reason}: ${what}`,
    next: advice === null ? [] : [advice],
  });
}

/** What may be typed here, where the message has the manifest's words: the same command with one more option. */
function optionAdvice({ passwordEnv: variable }: FileOptions, { reason, message, password }: Failed): string | null {
  if (password === 'missing' && variable === undefined)
    return 'add --password-env NAME, with its password in the environment variable NAME';
  if (reason === 'document_bad_text' && message.includes('charset')) return 'add --charset windows-1252, or what it was written in';
  return null;
}
