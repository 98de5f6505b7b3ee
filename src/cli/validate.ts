import { basename } from 'node:path';
import { UserError } from '../domain/errors.ts';
import { jsonLine, oneLine } from '../domain/hostile-text.ts';
import { ManifestError } from '../domain/manifest/manifest-error.ts';
import { unasked } from '../engine/expand.ts';
import type { ValidateOptions } from './commands/options.ts';
import { EXIT } from './exit-codes.ts';
import type { Globals } from './globals.ts';
import type { CliIo } from './io.ts';
import { asTyped } from './lead.ts';
import { type LoadedManifest, readManifest } from './plan/prepare.ts';
import { tagNotes } from './plan/tag-notes.ts';
import { unaskedModels } from './plan/unasked-notes.ts';
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

/**
 * `aieval validate MANIFEST`: lists everything that is wrong with a manifest and the files it names; documents are found, not opened. Exit 0
 * or 2, with `--strict` 2 on warnings, too.
 */
export async function validateCommand(io: CliIo, globals: Globals, argument: string, options: ValidateOptions): Promise<number> {
  const verdict = await judge(io, argument, options);
  if ('problems' in verdict) {
    tellInvalid(io, globals, verdict.problems);
    return EXIT.usage;
  }
  const { loaded } = verdict;
  const warnings = [
    ...loaded.warnings,
    ...unaskedModels(unasked(loaded.manifest, loaded.documents).models),
    ...unsetPasswords(io, loaded.documents),
  ];
  const ok = options.strict !== true || warnings.length === 0;
  for (const warning of warnings) io.stderr.write(`warning: ${oneLine(warning, LONGEST_LINE)}\n`);
  const notes = tagNotes(Object.values(loaded.manifest.tasks));
  if (globals.json) io.stdout.write(`${jsonLine({ v: 1, ok, problems: [], warnings, notes })}\n`);
  else if (!ok) io.stderr.write(`${counted(warnings.length, 'warning')}, which --strict does not let pass\n`);
  else if (!globals.quiet) tellValid(io, loaded, { argument, options, notes });
  return ok ? EXIT.pass : EXIT.usage;
}

async function judge(io: CliIo, argument: string, options: ValidateOptions): Promise<Verdict> {
  try {
    return { loaded: await readManifest(io, argument, options) };
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

type Asked = { readonly argument: string; readonly options: ValidateOptions; readonly notes: readonly string[] };

function tellValid(io: CliIo, { manifest, documents, path }: LoadedManifest, { argument, options, notes }: Asked): void {
  const { profile } = options;
  const tasks = counted(Object.keys(manifest.tasks).length, 'task');
  const models = counted(Object.keys(manifest.models).length, 'model');
  const unread = `${counted(documents.length, 'document')}, not opened: aieval plan reads ${documents.length === 1 ? 'it' : 'them'}`;
  const over = profile === undefined ? '' : ` with profile ${profile}`;
  const again = profile === undefined ? '' : ` --profile ${shellWord(profile)}`;
  io.stdout.write(`${basename(path)} is valid${over}: ${tasks}, ${models}; ${unread}\n`);
  for (const note of notes) io.stdout.write(`note: ${note}\n`);
  io.stdout.write(`next: ${asTyped(`aieval plan ${shellWord(argument)}${again}`, io.notes.lead)}\n`);
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

function tellInvalid(io: CliIo, globals: Globals, found: readonly Listed[]): void {
  const problems = found.map((problem) => ({ ...problem, hint: problem.hint === null ? null : asTyped(problem.hint, io.notes.lead) }));
  if (globals.json) {
    io.stdout.write(`${jsonLine({ v: 1, ok: false, problems: problems.map(problemRecord), warnings: [], notes: [] })}\n`);
    return;
  }
  const paint = painter(globals.colour.stderr);
  const isScreen = io.stderr.isTTY === true;
  const lines = problems.flatMap((problem) => (isScreen ? screenLines(problem, paint) : [problemLine(problem, paint)]));
  const next = isScreen ? [] : hintLines(problems);
  io.stderr.write(`${[...lines, counted(problems.length, 'problem'), ...next].join('\n')}\n`);
}

/** Below the problems, each thing once: a problem's own line is for editors and `grep`. */
function hintLines(problems: readonly Listed[]): string[] {
  const hints = new Set(problems.flatMap(({ hint }) => hint ?? []));
  return [...hints].map((hint) => `next: ${oneLine(hint, LONGEST_LINE)}`);
}

function problemRecord({ code, path, file, line, column, message, hint }: Listed): object {
  return { code, file, path, line, column, col: column, message, hint };
}

/** `error[E07]: file:line:column: what`, as `plan` and `run` print it. */
function problemLine({ code, message }: Listed, paint: Paint): string {
  return `${paint('red', `error[${code}]:`)} ${oneLine(message, LONGEST_LINE)}`;
}

/** With the source line, a caret below the place, and what to do. */
function screenLines(problem: Listed, paint: Paint): string[] {
  const { excerpt, hint } = problem;
  const source = excerpt === null ? [] : manyLines(excerpt).split('\n');
  return [
    problemLine(problem, paint),
    ...source.map((line) => `  ${line}`),
    ...(hint === null ? [] : [`  ${paint('cyan', 'next:')} ${oneLine(hint, LONGEST_LINE)}`]),
  ];
}
