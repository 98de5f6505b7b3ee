import { UserError } from '../domain/errors.ts';
import { jsonLine, oneLine, withoutBuildCommands } from '../domain/hostile-text.ts';
import { maskAddresses, maskSecrets } from '../domain/manifest/secret-text.ts';
import { type CrashScene, writeCrash } from './crash/crash-file.ts';
import { crashError } from './crash/crash-record.ts';
import { asOpenFilesError } from './doctor/open-files.ts';
import { EXIT } from './exit-codes.ts';
import type { CliIo } from './io.ts';
import { asTyped } from './lead.ts';
import { asNativeModuleError } from './native-module.ts';
import { isCi, usableColumns, wantsColour } from './terminal/look.ts';
import { manyLines } from './terminal/many-lines.ts';
import { painter } from './terminal/style.ts';
import { brokenAtBlanks } from './terminal/wrap.ts';

export type ErrorLook = CrashScene & { readonly json: boolean; readonly colour: boolean };

/** How a command line wants its errors, whatever else is wrong with it. */
export function errorLook(argv: readonly string[], io: CliIo): ErrorLook {
  return { io, argv, json: argv.includes('--json'), colour: wantsColour(io.stderr, io.env, argv.includes('--no-color')) };
}

/**
 * Prints what ended the command on stderr and returns the exit code. With `json`, the last line is the error as one JSON object. Of a bug
 * it leaves a report, too.
 */
export function reportError(error: unknown, look: ErrorLook): number {
  const known = error instanceof UserError ? error : (asNativeModuleError(error) ?? asOpenFilesError(error));
  const { lines, record, exitCode } = known === null ? ofBug(error, look) : ofUser(known, look);
  const { stderr } = look.io;
  for (const line of lines) stderr.write(`${line}\n`);
  if (look.json) stderr.write(`${jsonLine(record)}\n`);
  return exitCode;
}

type Told = { readonly lines: readonly string[]; readonly record: object; readonly exitCode: number };

/** Whatever they repeat of what was typed or read: where a URL is not expected, nobody looks at what it holds. */
function ofUser({ code, exitCode, message: said, next: given }: UserError, { io, colour }: ErrorLook): Told {
  const paint = painter(colour);
  const message = maskAddresses(said);
  const next = given.map((step) => maskAddresses(asTyped(step, io.notes.lead)));
  const steps = next.map((step) => `${paint('cyan', 'next:')} ${manyLines(step)}`);
  return {
    lines: [...toldLines(`${paint('red', `error[${code}]:`)} ${manyLines(message)}`, io.stderr), ...steps],
    record: { v: 1, event: 'error', code, exitCode, message, next },
    exitCode,
  };
}

/** A terminal would break them within words. Of a source line the columns count; what is to be typed is no part of it. */
function toldLines(text: string, stderr: CliIo['stderr']): string[] {
  const columns = usableColumns(stderr, Number.POSITIVE_INFINITY);
  return text.split('\n').flatMap((line) => (line.startsWith(' ') ? [line] : brokenAtBlanks(line, columns, 2).map(withoutBuildCommands)));
}

const LONGEST_MESSAGE = 300;
const NEXT = 'please report this, it is a bug in aieval; runs and answers are kept in the database';

function ofBug(error: unknown, look: ErrorLook): Told {
  const path = writeCrash(error, look);
  const message = bugMessage(error, { ...look.io.env, ...look.io.notes.env }, look.argv);
  const paint = painter(look.colour);
  const saved = path === null ? 'the report could not be saved' : `report saved to ${oneLine(path, 1000)} (no keys, no document text)`;
  return {
    lines: [`${paint('red', 'error[E99]:')} ${message}`, ...stackLines(error), saved, `${paint('cyan', 'next:')} ${NEXT}`],
    record: { v: 1, event: 'error', code: 'E99', exitCode: EXIT.bug, message, next: [NEXT], report: path },
    exitCode: EXIT.bug,
  };
}

function stackLines(error: unknown): string[] {
  const lines: string[] = [];
  for (let one: ReturnType<typeof crashError> | null = crashError(error); one !== null; one = one.cause) {
    if (lines.length > 0) lines.push(`caused by: ${one.class}${one.code === null ? '' : ` (${one.code})`}`);
    lines.push(...one.frames.map((frame) => `    at ${frame}`));
  }
  return lines;
}

/** Its words are for the person at the screen, who may see documents, not for the log of a CI; keys are nobody's to see. */
function bugMessage(error: unknown, env: CliIo['env'], argv: readonly string[]): string {
  if (isCi(env)) return `${crashError(error).class} (its message is left out in CI: it may hold a document's text)`;
  const text = error instanceof Error ? `${crashError(error).class}: ${error.message}` : String(error);
  const masked = [...secretValues(env), ...argv.flatMap(passwordsOf).filter(isSecret)].reduce(
    (left, value) => left.replaceAll(value, '***'),
    text,
  );
  return oneLine(maskSecrets(masked), LONGEST_MESSAGE);
}

const SECRET_VARIABLE = /KEY|TOKEN|SECRET|PASS|AUTH|CREDENTIAL/i;
/** What is shorter is no secret, and masking it would spoil every word. */
const SHORTEST_SECRET = 6;

/** Values of variables that are likely secrets, and the passwords of URLs in others. */
export function secretValues(env: CliIo['env']): string[] {
  return Object.entries(env)
    .flatMap(([name, value = '']) => (SECRET_VARIABLE.test(name) ? [value] : passwordsOf(value)))
    .filter(isSecret);
}

function isSecret({ length }: string): boolean {
  return length >= SHORTEST_SECRET;
}

/** As it is spelled in the URL, and as it is meant. */
function passwordsOf(text: string): string[] {
  if (!text.includes('://') || !URL.canParse(text)) return [];
  const { password, searchParams } = new URL(text);
  return [password, decoded(password), searchParams.get('password') ?? ''];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}
