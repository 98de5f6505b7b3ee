import type { z } from 'zod';
import type { Json } from '../canonical-json.ts';
import { isLaterCheckType, isLaterField } from './later-fields.ts';
import { dottedOf, type Path, type PathSegment } from './path.ts';
import type { Problem } from './problem.ts';
import { isObject, valueAt } from './raw.ts';
import { maskSecrets } from './secret-text.ts';
import { problemWithKey, problemWithValue, type Source } from './source.ts';
import { didYouMean } from './suggest.ts';

type Issue = z.core.$ZodIssue;

/** What the schema found, in the words of the catalogue and with positions. */
export function issueProblems(source: Source, issues: readonly Issue[], base: Path = []): Problem[] {
  return issues.flatMap((issue) => {
    const path = [...base, ...issue.path.map(segmentOf)];
    if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey(source, path, key, issue.message.split(' ')));
    if (issue.code === 'invalid_key') return [invalidName(source, path, issue.issues[0]?.message ?? 'is not allowed')];
    const branch = issue.code === 'invalid_union' ? chosenBranch(issue.errors) : null;
    return branch === null ? [plainProblem(source, path, issue)] : issueProblems(source, branch, path);
  });
}

function segmentOf(key: PropertyKey): PathSegment {
  return typeof key === 'number' ? key : String(key);
}

/** Of a union the one form that the user meant: whose problems lie inside, not with the value as a whole. */
function chosenBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] | null {
  const fitting = branches.filter((issues) => !issues.some(({ path, code }) => path.length === 0 && REJECTS_WHOLE.has(code)));
  const [only] = fitting;
  return only !== undefined && fitting.length === 1 ? only : null;
}

const REJECTS_WHOLE: ReadonlySet<string | undefined> = new Set(['invalid_type', 'invalid_value']);

function unknownKey(source: Source, parent: Path, key: string, known: readonly string[]): Problem {
  const path = [...parent, key];
  if (isLaterField(path)) {
    return problemWithKey(source, { code: 'E26', path, what: `${dottedOf(path)} is not supported yet: remove it` });
  }
  const place = parent.length === 0 ? '' : ` in ${dottedOf(parent)}`;
  const advice = didYouMean(key, known) || ` Known: ${known.join(', ')}`;
  return problemWithKey(source, { code: 'E04', path, what: `unknown key ${JSON.stringify(key)}${place}.${advice}` });
}

function invalidName(source: Source, path: Path, message: string): Problem {
  const what = `${dottedOf(path.slice(0, -1))}: ${JSON.stringify(String(path.at(-1)))} ${message}`;
  return problemWithKey(source, { code: 'E07', path, what });
}

function plainProblem(source: Source, path: Path, issue: Issue): Problem {
  const value = valueAt(source.value, path);
  if (value === undefined && path[0] === 'tasks' && path.length === 3 && path[2] === 'checks') return withoutChecks(source, path);
  if (path[0] === 'tasks' && path[2] === 'checks' && path[4] === 'type' && isLaterCheckType(value)) {
    return problemWithValue(source, { code: 'E26', path, what: `${dottedOf(path)} ${JSON.stringify(value)} is not supported yet` });
  }
  return problemWithValue(source, { code: 'E07', path, what: sentence(path, value, issue) });
}

function withoutChecks(source: Source, path: Path): Problem {
  const task = path.slice(0, -1);
  const what = `task ${JSON.stringify(String(task.at(-1)))} has no checks, so every job would pass`;
  const hint = 'add "checks", or "checks": [] to collect answers only';
  return { ...problemWithKey(source, { code: 'E11', path: task, what, hint }) };
}

/** Messages that begin with "must" say what was expected; they are followed by what came instead. */
function sentence(path: Path, value: Json | undefined, issue: Issue): string {
  const subject = path.length === 0 ? 'the manifest' : dottedOf(path);
  const { message } = issue;
  if (value === undefined) return `${subject} is missing: it ${message}`;
  if (!message.startsWith('must ')) return `${subject} ${message}`;
  const guess = typeof value === 'string' ? didYouMean(value, allowedValues(issue)) : '';
  return `${subject} ${message}, got ${shown(value)}${guess === '' ? '' : `.${guess}`}`;
}

function allowedValues(issue: Issue): string[] {
  if (issue.code === 'invalid_value') return issue.values.filter((value) => typeof value === 'string');
  return issue.code === 'invalid_union' && 'options' in issue && Array.isArray(issue.options) ? issue.options.map(String) : [];
}

const SHOWN_CHARACTERS = 40;

function shown(value: Json): string {
  if (value === null || typeof value === 'number') return String(value);
  if (typeof value === 'boolean') return `${value} (boolean)`;
  if (typeof value === 'string') return `${JSON.stringify(shortened(maskSecrets(value)))} (string)`;
  if (isObject(value)) return Object.keys(value).length === 0 ? 'an empty object' : 'an object';
  return Array.isArray(value) && value.length === 0 ? 'an empty list' : 'a list';
}

function shortened(text: string): string {
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}
