import dns from 'node:dns';
import { getSystemErrorMap } from 'node:util';

const MOST_FRAMES = 30;
const MOST_CAUSES = 5;
const CLASS = /^[A-Za-z_$][\w$]{0,60}$/;
/** Of Node, of SQLite's driver and of undici, and our own. */
const CODE = /^(?:(?:ERR|SQLITE|UND_ERR)_[A-Z0-9_]{1,60}|E\d\d|MODULE_NOT_FOUND|ABORT_ERR)$/;
/** `ENOENT`, `EAI_AGAIN`. */
const SYSTEM_CODES: ReadonlySet<string> = new Set([
  ...[...getSystemErrorMap().values()].map(([name]) => name),
  ...Object.values(dns).filter((value) => typeof value === 'string'),
]);
/** In the place of what anybody may have written there: a server, or a document. */
const MASKED = '<…>';
/** `    at name (place:1:2)` or `    at place:1:2`. */
const FRAME = /^ {4}at (?:(?:async )?([\w$.<>#[\] ]{1,120}) \()?(?:async )?((?:file:\/\/|node:|\/)[^\s()]{1,500}):(\d+):(\d+)\)?$/;

/** What is kept of an error. Its message is not: it may hold a document's text, a model's words, or a key. */
export type CrashError = {
  readonly class: string;
  readonly code: string | null;
  readonly frames: readonly string[];
  readonly cause: CrashError | null;
};

/** An error as a crash report tells it: its class, its code, where it came from, and the same of its causes. */
export function crashError(error: unknown, causesLeft = MOST_CAUSES): CrashError {
  if (!(error instanceof Error)) return { class: typeof error, code: null, frames: [], cause: null };
  const code = 'code' in error && typeof error.code === 'string' ? knownCode(error.code) : null;
  const cause = error.cause === undefined || causesLeft === 0 ? null : crashError(error.cause, causesLeft - 1);
  return { class: className(error), code, frames: framesOf(error), cause };
}

function knownCode(code: string): string {
  return CODE.test(code) || SYSTEM_CODES.has(code) ? code : MASKED;
}

/** Of the class, not `name`, which anybody may set to any text. */
function className(error: Error): string {
  const { name } = error.constructor;
  return CLASS.test(name) ? name : 'Error';
}

/** The frames alone, innermost first, with paths as they are in the package. */
function framesOf({ stack = '', message }: Error): string[] {
  const after = message === '' ? 0 : stack.indexOf(message) + message.length;
  return stack
    .slice(stack.includes(message) ? after : 0)
    .split('\n')
    .flatMap((line) => frameOf(line))
    .slice(0, MOST_FRAMES);
}

function frameOf(line: string): string[] {
  const [, name, place, row, column] = FRAME.exec(line) ?? [];
  if (place === undefined) return [];
  const where = `${shortPlace(place)}:${row}:${column}`;
  return [name === undefined ? where : `${name} (${where})`];
}

/** Nothing above the package: a home folder has a person's name. */
function shortPlace(place: string): string {
  if (place.startsWith('node:')) return place;
  const inside = /\/((?:dist|src|bin|node_modules)\/.*)$/.exec(place)?.[1];
  return inside ?? place.slice(place.lastIndexOf('/') + 1);
}
