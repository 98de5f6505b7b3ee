import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { sha256Hex } from '../domain/canonical-json.ts';
import { type FileField, fileFields, type LoadedField } from '../domain/manifest/file-fields.ts';
import { dottedOf, pointerOf } from '../domain/manifest/path.ts';
import { type Problem, problemAt } from '../domain/manifest/problem.ts';
import { entriesAt, valueAt } from '../domain/manifest/raw.ts';
import { schemaProblems } from '../domain/manifest/schema-fields.ts';
import { problemWithValue, type Source, spotOf } from '../domain/manifest/source.ts';
import { didYouMean } from '../domain/manifest/suggest.ts';
import { parseSource } from '../domain/manifest/syntax.ts';
import { type TemplateText, templateAdvice, templateProblems } from '../domain/manifest/template-problems.ts';
import { textFile } from '../domain/manifest/text-file.ts';
import { CASSETTE_HINT, readCassette } from '../providers/cassette.ts';
import { type FieldPlace, fieldFolder, outsideWarning } from './field-folder.ts';
import { bytesOrFault, type ManifestFiles, utf8OrNull } from './manifest-files.ts';

/** What the files of a manifest came to. */
export type FieldsResult = {
  /** By the JSON pointer of the field that names the file. */
  readonly loaded: ReadonlyMap<string, LoadedField>;
  readonly problems: readonly Problem[];
  readonly warnings: readonly string[];
};

type Place = FieldPlace & { readonly files: ManifestFiles };

/** Reads the prompts, system messages, schemas and cassettes that a manifest names, and checks them. */
export async function loadFields(place: Place): Promise<FieldsResult> {
  const loaded = new Map<string, LoadedField>();
  const problems: Problem[] = [];
  const warnings: string[] = [];
  for (const field of fileFields(place.source.value)) {
    const result = await loadField(field, place);
    if (result.loaded !== null) loaded.set(pointerOf(field.path), result.loaded);
    problems.push(...result.problems);
    warnings.push(...result.warnings);
  }
  return { loaded, problems, warnings };
}

/** Absolute paths of the files that a manifest names beside its documents, or may name: a text may look like a path. */
export function namedFiles(place: Omit<FieldPlace, 'baseDir'>): readonly string[] {
  const fields = fileFields(place.source.value).filter(({ names }) => names !== 'text');
  return fields.map(({ path, value }) => resolve(fieldFolder(place, path), value));
}

type FieldResult = {
  readonly loaded: LoadedField | null;
  readonly problems: readonly Problem[];
  readonly warnings: readonly string[];
};

async function loadField(field: FileField, place: Place): Promise<FieldResult> {
  const path = resolve(fieldFolder(place, field.path), field.value);
  const kind = field.names === 'text' ? null : await place.files.kindOf(path);
  if (field.names === 'text' || (field.names === 'maybe' && kind !== 'file')) {
    return checkTemplate(field, inlineTemplate(field, place.source), place.source, null);
  }
  const bytes = kind === 'special' ? 'is a pipe or a device, not a file' : await bytesOrFault(place.files, path);
  const warnings = outsideWarning(place, field.path, field.value);
  if (typeof bytes === 'string') return { loaded: null, problems: [await unreadable(field, place, path, bytes)], warnings };
  const text = utf8OrNull(bytes);
  if (text === null) return { loaded: null, problems: [await unreadable(field, place, path, 'is not UTF-8 text')], warnings };
  const name = shownName(place.source, field);
  if (field.kind === 'cassette') {
    const loaded: LoadedField = { kind: 'cassette', path, sha256: sha256Hex(bytes) };
    return { loaded, problems: cassetteProblems(field, text, name), warnings };
  }
  const result = field.kind === 'schema' ? loadSchema(field, text, name) : loadTemplate(field, text, name, place.source);
  return { ...result, warnings: [...warnings, ...result.warnings] };
}

/** The file's name as the user would type it where he typed the manifest's. */
function shownName(source: Source, { path, value }: FileField): string {
  return isAbsolute(value) ? value : join(dirname(spotOf(source, path).file.name), value);
}

async function unreadable(field: FileField, { source, files }: Place, path: string, fault: string): Promise<Problem> {
  const folder = dirname(path);
  const guess = fault === 'not found' ? didYouMean(basename(path), await files.namesIn(folder)) : '';
  const place = fault === 'not found' ? ` in ${folder}.` : '';
  const what = `${dottedOf(field.path)}: ${fault === 'not found' ? basename(path) : field.value} ${fault}${place}${guess}`;
  return problemWithValue(source, { code: 'E28', path: field.path, what: what.replace(/\.$/, '') });
}

/** The first thing wrong with it, found before anything is asked rather than at the first call. */
function cassetteProblems(field: FileField, text: string, name: string): Problem[] {
  const read = readCassette(text);
  if ('cassette' in read) return [];
  const what = `${dottedOf(field.path)}: the cassette cannot be read: ${read.fault.what}`;
  return [problemAt(textFile(name, text), read.fault.offset, { code: 'E02', path: field.path, what, hint: CASSETTE_HINT })];
}

function loadSchema(field: FileField, text: string, name: string): FieldResult {
  const { source, problems } = parseSource(text, name);
  const found = [...problems, ...(source === null ? [] : schemaProblems(source, [], field.path))];
  const inField = found.map((problem) => ({ ...problem, path: pointerOf(field.path) }));
  return { loaded: source === null ? null : { kind: 'schema', schema: source.value }, problems: inField, warnings: [] };
}

/** Line ends become `\n`, so that a checkout on another system asks the same question. */
function loadTemplate(field: FileField, text: string, name: string, source: Source): FieldResult {
  const file = textFile(name, text.replace(/\r\n?/g, '\n'));
  const loaded: LoadedField = { kind: 'text', text: file.text };
  return checkTemplate(field, { template: file.text, file, start: 0, exact: true }, source, loaded);
}

function inlineTemplate({ path, value }: FileField, source: Source): TemplateText {
  const { file, offset } = spotOf(source, path);
  const quoted = offset + 1;
  const exact = file.text.startsWith(value, quoted);
  return { template: value, file, start: exact ? quoted : quoted - 1, exact };
}

function checkTemplate(field: FileField, text: TemplateText, source: Source, loaded: LoadedField | null): FieldResult {
  const task = field.path.slice(0, 2);
  const vars = entriesAt(source.value, [...task, 'vars']).map(([name]) => name);
  const hasSchema = valueAt(source.value, [...task, 'output', 'schema']) !== undefined;
  const hasArrays = valueAt(source.value, [...task, 'merge', 'array']) !== undefined;
  const kind = field.kind === 'prompt' || field.kind === 'reduce' ? field.kind : 'system';
  const context = { kind, field: field.path, vars, hasSchema, hasArrays } as const;
  return { loaded, problems: templateProblems(text, context), warnings: templateAdvice(text, context) };
}
