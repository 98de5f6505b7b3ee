import { createReadStream } from 'node:fs';
import { z } from 'zod';
import { UserError } from '../domain/errors.ts';
import type { ResultLine, RunHeader } from '../domain/result-line.ts';
import { UPDATE_ADVICE } from '../domain/update-advice.ts';
import { resultLineSchema, runHeaderSchema } from './results-schema.ts';
import { errorCode } from './storage-error.ts';
import { linesOf, type NumberedLine, TooLongLine } from './text-lines.ts';

/** The parts of a `results.jsonl`; `lines` can be read once, in bounded memory. What was opened is closed when they end or are left. */
export type ResultsFile = { readonly header: RunHeader; readonly lines: AsyncIterable<ResultLine> };

/** Opens a `results.jsonl`. Throws a `UserError` (exit 2) that names the file, and the line where one is not as it must be. */
export async function readResults(path: string): Promise<ResultsFile> {
  return await readResultsFrom(path, createReadStream(path));
}

/** The same of bytes that come from elsewhere; `name` is what errors call them. */
export async function readResultsFrom(name: string, bytes: AsyncIterable<string | Uint8Array>): Promise<ResultsFile> {
  const lines = numberedLines(name, bytes);
  const first = await lines.next();
  if (first.done) throw badLine(name, 1, 'the file is empty');
  try {
    return { header: parsed(name, first.value, runHeaderSchema), lines: resultLines(name, lines) };
  } catch (error) {
    await lines.return(undefined);
    throw error;
  }
}

async function* resultLines(name: string, lines: AsyncIterable<NumberedLine>): AsyncGenerator<ResultLine> {
  for await (const line of lines) yield parsed(name, line, resultLineSchema);
}

async function* numberedLines(name: string, bytes: AsyncIterable<string | Uint8Array>): AsyncGenerator<NumberedLine, undefined> {
  try {
    yield* linesOf(bytes);
  } catch (error) {
    if (error instanceof TooLongLine) throw badLine(name, error.number, 'longer than any line of results');
    throw unreadable(name, error);
  }
  return undefined;
}

const FORMAT = 1;
const versioned = z.object({ v: z.int() });

function parsed<T>(name: string, { number, text, isWhole }: NumberedLine, schema: z.ZodType<T>): T {
  const value = jsonOf(name, { number, text, isWhole });
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const format = versioned.safeParse(value).data?.v ?? FORMAT;
  if (format > FORMAT) throw newerFormat(name, number, format);
  const [issue] = result.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? '' : `${issue.path.join('.')}: `;
  throw badLine(name, number, `${where}${issue?.message ?? 'not as expected'}`);
}

function jsonOf(name: string, { number, text, isWhole }: NumberedLine): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badLine(name, number, isWhole ? 'not JSON' : 'not JSON: the file was cut in this line', error);
  }
}

function badLine(name: string, line: number, problem: string, cause?: unknown): UserError {
  return new UserError({
    code: 'E02',
    exitCode: 2,
    message: `${name}:${line}: ${problem}`,
    next: ['take the file from the folder of its run again; where the database is, aieval summary writes it anew'],
    cause,
  });
}

function newerFormat(name: string, line: number, format: number): UserError {
  return new UserError({
    code: 'E08',
    exitCode: 2,
    message: `${name}:${line}: written by a newer aieval (format ${format}; this one reads ${FORMAT})`,
    next: [UPDATE_ADVICE],
  });
}

function unreadable(name: string, error: unknown): unknown {
  const code = errorCode(error);
  if (code === '') return error;
  return new UserError({
    code: 'E01',
    exitCode: 2,
    message: code === 'ENOENT' ? `${name} not found` : `cannot read ${name} (${code})`,
    next: ['aieval status lists the runs and their folders'],
    cause: error,
  });
}
