import { z } from 'zod';
import { canonicalJson, sha256Hex } from '../domain/canonical-json.ts';
import { jsonLine } from '../domain/hostile-text.ts';
import type { CacheEntry } from './cache-store.ts';
import { COMPLETION } from './completion-schema.ts';

/**
 * The cache as a file: JSON lines, a header and then one entry a line in the order of their keys. Each entry stands for itself, so
 * that files can be joined by `cat`; the same cache gives the same bytes.
 */
const VERSION = 1;
const KIND = 'aieval-cache';

export function headerLine(): string {
  return `${jsonLine({ v: VERSION, kind: KIND })}\n`;
}

export function entryLine(entry: CacheEntry): string {
  const { key, keyRecord, callToken, stepKind, completion, answer, repaired, recordedAtMs, storedAtMs, origin } = entry;
  const { runId, jobId, costNanoUsd } = origin;
  return `${jsonLine({
    v: VERSION,
    ...{ key, keyRecord, callToken, stepKind, completion, answer, repaired, recordedAtMs, storedAtMs },
    origin: { runId, jobId, costNanoUsd },
  })}\n`;
}

export type CacheLine =
  | { readonly kind: 'header' }
  | { readonly kind: 'entry'; readonly entry: CacheEntry }
  | { readonly kind: 'fault'; readonly problem: string };

/** Reads one line. An entry's key must be the hash of its parts: an answer to another question would be served for this one. */
export function readCacheLine(text: string): CacheLine {
  if (isTooDeep(text)) return fault(`nested more than ${DEEPEST} levels deep`);
  const value = parsed(text);
  if (value === undefined) return fault('not JSON');
  const header = HEADER.safeParse(value);
  if (header.success) return header.data.v === VERSION ? { kind: 'header' } : fault(newerText(header.data.v));
  if (!isEntry(value)) return fault(problemOf(value));
  if (value.key !== sha256Hex(canonicalJson(value.keyRecord))) return fault('the key is not the hash of "keyRecord"');
  return { kind: 'entry', entry: value };
}

/** SQLite holds no JSON that is deeper, and the stack of whoever walks it would overflow. */
const DEEPEST = 1000;

/** By its brackets alone, because parsing, too, would walk it. A pattern over strings of megabytes would overflow as well. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length && depth <= DEEPEST; at += 1) {
    const character = text[at];
    if (inString && character === '\\') at += 1;
    else if (character === '"') inString = !inString;
    else if (!inString && (character === '[' || character === '{')) depth += 1;
    else if (!inString && (character === ']' || character === '}')) depth -= 1;
  }
  return depth > DEEPEST;
}

function fault(problem: string): CacheLine {
  return { kind: 'fault', problem };
}

function newerText(version: number): string {
  return `written by a newer aieval (format ${version}; this one reads ${VERSION})`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The last time that a `Date` can hold. */
const LAST_MS = 8.64e15;

const COUNT = z.int().min(0);
const TIME = z.int().min(0).max(LAST_MS);
/** Names that are printed and compared, never free text. */
const NAME = z.string().regex(/^[\w.-]{1,100}$/, { error: 'expected a name of letters, digits, ".", "_" and "-"' });
/** Whatever JSON holds; it must be there. */
const JSON_VALUE = z.unknown().refine((value) => value !== undefined, { error: 'missing' });

const HEADER = z.object({ v: z.int(), kind: z.literal(KIND) });

const ENTRY = z.object({
  v: z.literal(VERSION),
  key: z.string().regex(/^[0-9a-f]{64}$/, { error: 'expected 64 hexadecimal digits' }),
  keyRecord: JSON_VALUE,
  callToken: NAME,
  stepKind: z.enum(['answer', 'chunk', 'reduce', 'reask', 'judge']),
  completion: COMPLETION,
  answer: JSON_VALUE,
  repaired: z.boolean(),
  recordedAtMs: TIME,
  storedAtMs: TIME,
  origin: z.object({ runId: NAME, jobId: NAME, costNanoUsd: COUNT.nullable() }),
});

/** The value itself is kept, not a copy: fields of a later version, and the order in which a body was sent, survive. */
function isEntry(value: unknown): value is CacheEntry {
  return ENTRY.safeParse(value).success;
}

function problemOf(value: unknown): string {
  const [issue] = ENTRY.safeParse(value).error?.issues ?? [];
  const where = issue === undefined || issue.path.length === 0 ? '' : `${issue.path.join('.')}: `;
  return `${where}${issue?.message ?? 'not an entry'}`;
}
