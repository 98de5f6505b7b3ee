import type { Json } from '../canonical-json.ts';
import { dottedOf, type Path } from './path.ts';
import type { Problem } from './problem.ts';
import { entriesAt, isObject, itemsAt } from './raw.ts';
import { looksLikeSecret, namesSecret } from './secret-text.ts';
import { problemWithValue, type Source } from './source.ts';

const REFERENCE = /^\$\{[A-Za-z_][A-Za-z0-9_]*\}$/;

/**
 * Secrets that stand in the manifest itself: values that look like one anywhere, and in providers and models whatever stands
 * behind a name such as `apiKey`. The value is never shown. Texts with white space in tasks are prompts, which may speak of keys.
 */
export function secretProblems(source: Source): Problem[] {
  return [...textsIn(source.value, [])].filter(([path, text]) => isSecret(path, text)).map(([path]) => secretProblem(source, path));
}

function isSecret(path: Path, text: string): boolean {
  const inTask = path[0] === 'tasks';
  if (looksLikeSecret(text)) return !inTask || !/\s/.test(text);
  const named = (path[0] === 'providers' || path[0] === 'models') && path.length > 2 && namesSecret(String(path.at(-1)));
  return named && text !== '' && !REFERENCE.test(text);
}

function secretProblem(source: Source, path: Path): Problem {
  const cure = path.includes('headers') ? `write its name as "\${NAME}"` : 'use "apiKeyEnv"';
  const what = `${dottedOf(path)} looks like a secret. Put it in an environment variable and ${cure}. Revoke this key if it was committed.`;
  return problemWithValue(source, { code: 'E06', path, what });
}

function* textsIn(value: Json, path: Path): Generator<[path: Path, text: string]> {
  if (typeof value === 'string') yield [path, value];
  else if (isObject(value)) for (const [key, item] of entriesAt(value, [])) yield* textsIn(item, [...path, key]);
  else for (const [index, item] of itemsAt(value, [])) yield* textsIn(item, [...path, index]);
}
