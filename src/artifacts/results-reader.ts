import { createReadStream } from 'node:fs';
import type { z } from 'zod';
import { UserError } from '../domain/errors.ts';
import type { ResultLine, RunHeader } from '../domain/result-line.ts';
import { resultLineSchema, runHeaderSchema } from './results-schema.ts';
import { errorCode } from './storage-error.ts';

/** The parts of a `results.jsonl`; `lines` can be read once, in bounded memory. The file is closed when they end or are left. */
export type ResultsFile = { readonly header: RunHeader; readonly lines: AsyncIterable<ResultLine> };

/** Opens a `results.jsonl`. Throws a `UserError` (exit 2) that names the file, and the line where one is not as it must be. */
export async function readResults(path: string): Promise<ResultsFile> {
  const lines = numberedLines(path);
  const first = await lines.next();
  if (first.done) throw badLine(path, 1, 'the file is empty');
  try {
    return { header: parsed(path, first.value, runHeaderSchema), lines: resultLines(path, lines) };
  } catch (error) {
    await lines.return(undefined);
    throw error;
  }
}

type NumberedLine = { readonly number: number; readonly text: string };

async function* resultLines(path: string, lines: AsyncIterable<NumberedLine>): AsyncGenerator<ResultLine> {
  for await (const line of lines) yield parsed(path, line, resultLineSchema);
}

/** Split at line feeds only: `readline` would also split at U+2028, which JSON strings may hold as they are. */
async function* numberedLines(path: string): AsyncGenerator<NumberedLine, undefined> {
  let rest = '';
  let number = 0;
  try {
    for await (const chunk of createReadStream(path, { encoding: 'utf8' })) {
      const pieces = `${rest}${chunk}`.split('\n');
      rest = pieces.pop() ?? '';
      for (const text of pieces) yield { number: ++number, text };
    }
  } catch (error) {
    throw unreadable(path, error);
  }
  if (rest.trim() !== '') yield { number: number + 1, text: rest };
  return undefined;
}

function parsed<T>(path: string, { number, text }: NumberedLine, schema: z.ZodType<T>): T {
  const result = schema.safeParse(jsonOf(path, number, text));
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? '' : `${issue.path.join('.')}: `;
  throw badLine(path, number, `${where}${issue?.message ?? 'not as expected'}`);
}

function jsonOf(path: string, number: number, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badLine(path, number, 'not JSON', error);
  }
}

function badLine(path: string, line: number, problem: string, cause?: unknown): UserError {
  return new UserError({
    code: 'E02',
    exitCode: 2,
    message: `${path}:${line}: ${problem}`,
    next: ['aieval summary RUN writes results.jsonl again from the database'],
    cause,
  });
}

function unreadable(path: string, error: unknown): unknown {
  const code = errorCode(error);
  if (code === '') return error;
  return new UserError({
    code: 'E01',
    exitCode: 2,
    message: code === 'ENOENT' ? `${path} not found` : `cannot read ${path} (${code})`,
    next: ['aieval status lists the runs and their folders'],
    cause: error,
  });
}
