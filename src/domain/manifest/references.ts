import type { Json } from '../canonical-json.ts';
import { dottedOf, type Path } from './path.ts';
import type { Problem } from './problem.ts';
import { entriesAt, itemsAt, valueAt } from './raw.ts';
import { problemWithValue, type Source } from './source.ts';
import { didYouMean } from './suggest.ts';

const TAG = 'tag:';
const GLOB_CHARACTERS = /[*?[\]{}()!]/;

/** Names that are used and defined nowhere. Looks at the raw value, so that it speaks even when other fields are wrong. */
export function referenceProblems(source: Source): Problem[] {
  const { value } = source;
  const names = {
    providers: [...new Set([...keysAt(value, ['providers']), 'openai'])],
    models: keysAt(value, ['models']),
    tasks: keysAt(value, ['tasks']),
  };
  const tasks = names.tasks.map((task): Path => ['tasks', task]);
  return [
    ...names.models.flatMap((model) => unknownName(source, ['models', model, 'provider'], 'providers', names.providers)),
    ...tasks.flatMap((task) => textsAt(value, [...task, 'models']).flatMap((path) => unknownName(source, path, 'models', names.models))),
    ...tasks.flatMap((task) => textsAt(value, [...task, 'documents']).flatMap((path) => unknownTag(source, path))),
    ...matrixRules(value).flatMap((rule) => [
      ...unknownName(source, [...rule, 'task'], 'tasks', names.tasks),
      ...unknownName(source, [...rule, 'model'], 'models', names.models),
    ]),
  ];
}

function matrixRules(value: Json): Path[] {
  return ['exclude', 'only'].flatMap((kind) => itemsAt(value, ['matrix', kind]).map(([index]): Path => ['matrix', kind, index]));
}

/** A matrix rule may be a glob, which may well match nothing; a plain name may not. */
function unknownName(source: Source, path: Path, kind: string, names: readonly string[]): Problem[] {
  const name = valueAt(source.value, path);
  if (typeof name !== 'string' || name === '' || names.includes(name)) return [];
  if (path[0] === 'matrix' && GLOB_CHARACTERS.test(name)) return [];
  const known = names.length === 0 ? '' : ` (${names.join(', ')})`;
  return [dangling(source, path, `is not in ${kind}${known}.${didYouMean(name, names)}`)];
}

function unknownTag(source: Source, path: Path): Problem[] {
  const rule = valueAt(source.value, path);
  if (typeof rule !== 'string' || !rule.startsWith(TAG)) return [];
  const tags = [...new Set(itemsAt(source.value, ['documents']).flatMap(([index]) => tagsOf(source.value, index)))];
  if (tags.includes(rule.slice(TAG.length))) return [];
  if (tags.length === 0) return [dangling(source, path, 'matches nothing: no entry of documents has tags.')];
  const rules = tags.map((tag) => `${TAG}${tag}`);
  return [dangling(source, path, `is no tag of documents (${tags.join(', ')}).${didYouMean(rule, rules)}`)];
}

function tagsOf(value: Json, index: number): string[] {
  return itemsAt(value, ['documents', index, 'tags']).flatMap(([, tag]) => (typeof tag === 'string' ? [tag] : []));
}

function dangling(source: Source, path: Path, why: string): Problem {
  const what = `${dottedOf(path)} ${JSON.stringify(valueAt(source.value, path))} ${why}`;
  return problemWithValue(source, { code: 'E09', path, what });
}

function keysAt(value: Json, path: Path): string[] {
  return entriesAt(value, path).map(([key]) => key);
}

function textsAt(value: Json, path: Path): Path[] {
  return itemsAt(value, path).flatMap(([index, item]) => (typeof item === 'string' ? [[...path, index]] : []));
}
