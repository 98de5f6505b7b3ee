import { type Path, pointerOf } from './path.ts';
import { maskSecrets } from './secret-text.ts';
import { excerptAt, positionAt, type TextFile } from './text-file.ts';

/** One thing that is wrong with a manifest or a file it names. No field ever shows a secret. */
export type Problem = {
  /** Entry of the message catalogue, e.g. `E07`. */
  readonly code: ProblemCode;
  /** The file that `line` and `column` are of, as messages name it. */
  readonly file: string;
  /** JSON pointer of the field in the manifest; empty for the whole. */
  readonly path: string;
  readonly line: number;
  readonly column: number;
  /** `file:line:column: what is wrong`, one line. */
  readonly message: string;
  /** What to do next, if one thing can be named. */
  readonly hint: string | null;
  /** The source line and, below it, a caret under `column`; `null` where the line holds a secret. */
  readonly excerpt: string | null;
};

/**
 * E02 syntax · E03 documents · E04 unknown key · E06 secret · E07 wrong type, range or form · E08 other manifest version · E09 reference to
 * nothing · E10 template · E11 task without checks · E19 budget that cannot be enforced · E26 field of a later version · E28 file cannot be read.
 */
type ProblemCode = 'E02' | 'E03' | 'E04' | 'E06' | 'E07' | 'E08' | 'E09' | 'E10' | 'E11' | 'E19' | 'E26' | 'E28';

export type ProblemFacts = {
  readonly code: ProblemCode;
  readonly path: Path;
  readonly what: string;
  readonly hint?: string | null;
};

export function problemAt(file: TextFile, offset: number, { code, path, what, hint = null }: ProblemFacts): Problem {
  const { line, column } = positionAt(file, offset);
  return {
    code,
    file: file.name,
    path: pointerOf(path.map((part) => (typeof part === 'string' ? maskSecrets(part) : part))),
    line,
    column,
    message: maskSecrets(`${file.name}:${line}:${column}: ${what}`),
    hint,
    excerpt: code === 'E06' ? null : excerptAt(file, offset, maskSecrets),
  };
}

/** In the order of the text, file by file as they come; without those that say the same of the same place. */
export function sortedProblems(problems: readonly Problem[]): Problem[] {
  const distinct = new Map(problems.map((problem) => [problem.message, problem]));
  const files = [...new Set(problems.map(({ file }) => file))];
  return [...distinct.values()].sort(
    (a, b) => files.indexOf(a.file) - files.indexOf(b.file) || a.line - b.line || a.column - b.column || (a.message < b.message ? -1 : 1),
  );
}
