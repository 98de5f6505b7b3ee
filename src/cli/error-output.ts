import { UserError } from '../domain/errors.ts';
import { jsonLine } from '../domain/hostile-text.ts';
import { EXIT } from './exit-codes.ts';
import type { CliStream } from './io.ts';
import { asNativeModuleError } from './native-module.ts';
import { manyLines } from './terminal/many-lines.ts';
import { painter } from './terminal/style.ts';

/** Prints what ended the command on stderr and returns the exit code. With `json`, the last line is the error as one JSON object. */
export function reportError(
  error: unknown,
  look: { readonly stderr: CliStream; readonly json: boolean; readonly colour: boolean },
): number {
  const known = error instanceof UserError ? error : asNativeModuleError(error);
  const lines = known === null ? bugLines(error) : userLines(known, look.colour);
  for (const line of lines) look.stderr.write(`${line}\n`);
  if (look.json) look.stderr.write(`${jsonLine(known === null ? bugRecord(error) : userRecord(known))}\n`);
  return known === null ? EXIT.bug : known.exitCode;
}

function userLines(error: UserError, colour: boolean): string[] {
  const paint = painter(colour);
  return [
    `${paint('red', `error[${error.code}]:`)} ${manyLines(error.message)}`,
    ...error.next.map((step) => `${paint('cyan', 'next:')} ${manyLines(step)}`),
  ];
}

function userRecord(error: UserError): object {
  const { code, exitCode, message, next } = error;
  return { v: 1, event: 'error', code, exitCode, message, next };
}

function bugLines(error: unknown): string[] {
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return [
    `error[E99]: ${detail}`,
    ...causeLines(error),
    'next: please report this, it is a bug in aieval; runs and answers are kept in the database',
  ];
}

function causeLines(error: unknown): string[] {
  if (!(error instanceof Error) || error.cause === undefined) return [];
  const { cause } = error;
  return [`caused by: ${cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)}`, ...causeLines(cause)];
}

function bugRecord(error: unknown): object {
  const message = error instanceof Error ? error.message : String(error);
  return { v: 1, event: 'error', code: 'E99', exitCode: EXIT.bug, message, next: [] };
}
