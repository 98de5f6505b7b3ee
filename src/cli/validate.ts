import { basename } from 'node:path';
import { UserError } from '../domain/errors.ts';
import { oneLine } from '../domain/hostile-text.ts';
import { ManifestError } from '../domain/manifest/manifest-error.ts';
import { EXIT } from './exit-codes.ts';
import type { Globals } from './globals.ts';
import type { CliIo } from './io.ts';
import { type LoadedManifest, readManifest } from './prepare.ts';
import { counted } from './terminal/format.ts';
import { manyLines } from './terminal/many-lines.ts';
import { shellWord } from './terminal/shell-word.ts';
import { type Paint, painter } from './terminal/style.ts';

const LONGEST_LINE = 1000;

/** One thing that is wrong. What is about a file as a whole has no line; `message` begins with the place where there is one. */
type Listed = {
  readonly code: string;
  readonly path: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly column: number | null;
  readonly message: string;
  readonly hint: string | null;
  readonly excerpt: string | null;
};

type Verdict = { readonly loaded: LoadedManifest } | { readonly problems: readonly Listed[] };

/** `aieval validate MANIFEST`: lists everything that is wrong with a manifest and the files it names; documents are found, not opened. Exit 0 or 2. */
export async function validateCommand(io: CliIo, globals: Globals, argument: string): Promise<number> {
  const verdict = await judge(io, argument);
  if ('problems' in verdict) {
    tellInvalid(io, globals, verdict.problems);
    return EXIT.usage;
  }
  tellValid(io, globals, { ...verdict, argument });
  return EXIT.pass;
}

async function judge(io: CliIo, argument: string): Promise<Verdict> {
  try {
    return { loaded: await readManifest(io, argument) };
  } catch (error) {
    if (error instanceof ManifestError) return { problems: error.problems };
    if (error instanceof UserError && error.exitCode === EXIT.usage) return { problems: [wholeProblem(error)] };
    throw error;
  }
}

function wholeProblem({ code, message, next }: UserError): Listed {
  return { ...NOWHERE, code, message, hint: next[0] ?? null };
}

const NOWHERE = { path: '', file: null, line: null, column: null, hint: null, excerpt: null };

type Valid = { readonly loaded: LoadedManifest; readonly argument: string };

function tellValid(io: CliIo, globals: Globals, { loaded, argument }: Valid): void {
  const { manifest, documents } = loaded;
  const warnings = [...loaded.warnings, ...unsetPasswords(io, documents)];
  for (const warning of warnings) io.stderr.write(`warning: ${oneLine(warning, LONGEST_LINE)}\n`);
  if (globals.json) io.stdout.write(`${JSON.stringify({ v: 1, ok: true, problems: [], warnings })}\n`);
  if (globals.json || globals.quiet) return;
  const tasks = counted(Object.keys(manifest.tasks).length, 'task');
  const models = counted(Object.keys(manifest.models).length, 'model');
  const unread = `${counted(documents.length, 'document')}, not opened: aieval plan reads ${documents.length === 1 ? 'it' : 'them'}`;
  io.stdout.write(`${basename(loaded.path)} is valid: ${tasks}, ${models}; ${unread}\n`);
  io.stdout.write(`next: aieval plan ${shellWord(argument)}\n`);
}

/** Nothing is opened here, so a password may turn out to be needed by no file. */
function unsetPasswords({ env }: CliIo, documents: LoadedManifest['documents']): string[] {
  const unset = new Map<string, string>();
  for (const { documentId, entry } of documents) {
    const variable = entry.passwordEnv;
    if (variable !== null && env[variable] === undefined && !unset.has(variable)) unset.set(variable, documentId);
  }
  return [...unset].map(([variable, documentId]) => `${variable}, which "passwordEnv" names for ${documentId}, is not set`);
}

function tellInvalid(io: CliIo, globals: Globals, problems: readonly Listed[]): void {
  if (globals.json) {
    io.stdout.write(`${JSON.stringify({ v: 1, ok: false, problems: problems.map(problemRecord), warnings: [] })}\n`);
    return;
  }
  const paint = painter(globals.colour.stderr);
  const isScreen = io.stderr.isTTY === true;
  const lines = problems.flatMap((problem) => (isScreen ? screenLines(problem, paint) : [logLine(problem)]));
  const next = isScreen ? [] : hintLines(problems);
  io.stderr.write(`${[...lines, counted(problems.length, 'problem'), ...next].join('\n')}\n`);
}

/** Below the problems, each thing once: a problem's own line is for editors and `grep`. */
function hintLines(problems: readonly Listed[]): string[] {
  const hints = new Set(problems.flatMap(({ hint }) => hint ?? []));
  return [...hints].map((hint) => `next: ${oneLine(hint, LONGEST_LINE)}`);
}

function problemRecord({ code, path, file, line, column, message, hint }: Listed): object {
  return { code, path, file, line, col: column, message, hint };
}

/** With the source line, a caret below the place, and what to do. */
function screenLines({ code, message, excerpt, hint }: Listed, paint: Paint): string[] {
  const source = excerpt === null ? [] : manyLines(excerpt).split('\n');
  return [
    `${paint('red', `error[${code}]:`)} ${oneLine(message, LONGEST_LINE)}`,
    ...source.map((line) => `  ${line}`),
    ...(hint === null ? [] : [`  ${paint('cyan', 'next:')} ${oneLine(hint, LONGEST_LINE)}`]),
  ];
}

/** `file:line:column: code: what`, as editors and `grep` know it. */
function logLine({ code, file, line, column, message }: Listed): string {
  const place = `${file}:${line}:${column}: `;
  const what = message.startsWith(place) ? `${place}${code}: ${message.slice(place.length)}` : `${code}: ${message}`;
  return oneLine(what, LONGEST_LINE);
}
