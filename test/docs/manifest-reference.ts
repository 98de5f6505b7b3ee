import type { Json } from '../../src/domain/canonical-json.ts';
import { isObject, type JsonObject } from '../../src/domain/manifest/raw.ts';

/** A table of the reference: the fields of one object. */
type Section = {
  readonly title: string;
  /** Where its fields are; empty for the whole. */
  readonly path: string;
  readonly intro: string;
  readonly fields: JsonObject;
  readonly required: readonly string[];
};

/** Above it a person writes; below it stands what `manifestReference` gives. */
export const GENERATED =
  '<!-- Below: made of the schema. `npx vitest run -u --root . --config test/vitest.config.ts test/docs/manifest-reference.test.ts` -->';

/** Every field of the manifest's JSON Schema at every depth, as Markdown: one table for each object. */
export function manifestReference(schema: JsonObject): string {
  // Three kinds of providers have the same limits: once is enough.
  const sections = [...new Map(sectionsOf(schema, '').map((section) => [section.title, section])).values()];
  const titles = sections.map(({ title }) => title);
  return `## Fields\n\n${sections.map((section) => markdownOf(section, titles)).join('\n')}`;
}

const WHOLE = 'The manifest';
const COMMON_TITLE = 'tasks.<id>.checks[]';
const COMMON: readonly string[] = ['id', 'at', 'severity'];

function sectionsOf(schema: JsonObject, path: string): Section[] {
  const own = objectSection(schema, path);
  const properties = objectAt(schema, 'properties');
  const children = own.flatMap(({ fields }) =>
    Object.keys(fields).flatMap((name) => sectionsOf(objectAt(properties, name), below(path, name))),
  );
  const items = schema.items === undefined ? [] : sectionsOf(objectAt(schema, 'items'), `${path}[]`);
  const others = isObject(schema.additionalProperties) ? sectionsOf(schema.additionalProperties, `${path}.<id>`) : [];
  return [...own, ...children, ...items, ...others, ...variantSections(schema, path)];
}

function below(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function objectSection(schema: JsonObject, path: string): Section[] {
  const fields = objectAt(schema, 'properties');
  if (Object.keys(fields).length === 0) return [];
  return [{ title: path || WHOLE, path, intro: textAt(schema, 'description'), fields, required: stringsAt(schema, 'required') }];
}

/** Of several forms those that are objects; the checks share their first fields. */
function variantSections(schema: JsonObject, path: string): Section[] {
  const forms = formsOf(schema).filter((form) => Object.keys(objectAt(form, 'properties')).length > 0);
  const [first, ...more] = forms;
  if (first === undefined) return [];
  if (more.length === 0) return sectionsOf(first, path);
  const ofChecks = path === COMMON_TITLE;
  const shared = ofChecks ? [commonSection(first, path)] : [];
  return [...shared, ...forms.flatMap((form) => formSections(form, path, ofChecks))];
}

function commonSection(form: JsonObject, title: string): Section {
  const fields = Object.entries(objectAt(form, 'properties')).filter(([name]) => COMMON.includes(name));
  return { title, path: title, intro: 'Of every check, besides its `type`:', fields: Object.fromEntries(fields), required: [] };
}

function formSections(form: JsonObject, path: string, ofChecks: boolean): Section[] {
  const { type, ...fields } = objectAt(form, 'properties');
  if (!isObject(type)) throw new Error(`${path}: a form without type`);
  const names = valuesOf(type).map((name) => JSON.stringify(name));
  const own = Object.entries(fields).filter(([name]) => !ofChecks || !COMMON.includes(name));
  const title = ofChecks ? `check ${names.join(' and ')}` : `${path}: ${names.join(' and ')}`;
  const section: Section = {
    title,
    path,
    intro: textAt(type, 'description'),
    fields: Object.fromEntries(own),
    required: stringsAt(form, 'required'),
  };
  return [section, ...own.flatMap(([name, field]) => (isObject(field) ? sectionsOf(field, `${path}.${name}`) : []))];
}

function markdownOf({ title, path, intro, fields, required }: Section, titles: readonly string[]): string {
  const heading = title === WHOLE ? title : `\`${title}\``;
  const rows = Object.entries(fields).map(([name, field]) => {
    if (!isObject(field)) throw new Error(`${path}: ${name} has no schema`);
    const more = titles.find((each) => isOf(each, below(path, name)));
    const type = more === undefined ? typeOf(field) : typeOf(field).replace('object', `[object](#${anchorOf(more)})`);
    return `| \`${name}\` | ${type} | ${required.includes(name) ? '**required**' : defaultOf(field.default)} | ${cell(textAt(field, 'description'))} |`;
  });
  const table = ['| field | type | default | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n');
  return `### ${heading}\n\n${intro === '' ? '' : `${cell(intro)}\n\n`}${table}\n`;
}

/** Whether the section of this title tells of the values of a field. */
function isOf(title: string, field: string): boolean {
  return [field, `${field}[]`, `${field}.<id>`].some((start) => title === start || title.startsWith(`${start}:`));
}

/** As GitHub makes it of a heading. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/ /g, '-');
}

function defaultOf(value: Json | undefined): string {
  if (value === undefined || (isObject(value) && Object.keys(value).length === 0)) return '';
  return `\`${JSON.stringify(value)}\``;
}

/** What a value must be, in a few words. A pattern that has no words yet is an error: the reference must not be silent about it. */
function typeOf(schema: JsonObject): string {
  const forms = formsOf(schema);
  if (forms.length > 0) return [...new Set(forms.map(typeOf))].join(' or ');
  if (schema.$ref !== undefined) return 'part of a manifest';
  if (schema.const !== undefined || schema.enum !== undefined)
    return valuesOf(schema)
      .map((value) => `\`${JSON.stringify(value)}\``)
      .join(', ');
  if (Array.isArray(schema.type)) return 'JSON Schema, or the path of one';
  if (schema.type === 'array') return `list: ${typeOf(objectAt(schema, 'items'))}`;
  if (schema.type === 'integer' || schema.type === 'number') return rangeOf(schema, schema.type);
  if (schema.type === 'boolean') return 'true or false';
  if (schema.type === 'string') return stringType(schema.pattern);
  if (schema.type !== 'object') return 'any value';
  const named = isObject(schema.additionalProperties) && Object.keys(objectAt(schema, 'properties')).length === 0;
  return named && isObject(schema.additionalProperties) ? `object: name → ${typeOf(schema.additionalProperties)}` : 'object';
}

const BEYOND_MENTION = 1e15;

function rangeOf(schema: JsonObject, kind: string): string {
  const { minimum, exclusiveMinimum, maximum } = schema;
  const shown = (value: Json): string => (typeof value === 'number' ? value.toLocaleString('en-US') : String(value));
  if (exclusiveMinimum !== undefined) return `${kind} above ${shown(exclusiveMinimum)}, up to ${shown(maximum ?? '')}`;
  if (minimum === undefined || maximum === undefined) return kind;
  return typeof maximum === 'number' && maximum > BEYOND_MENTION
    ? `${kind}, ${shown(minimum)} or more`
    : `${kind} ${shown(minimum)}–${shown(maximum)}`;
}

/** By the beginning of their patterns. */
const PATTERNS: readonly (readonly [start: string, words: string])[] = [
  ['^[A-Za-z_][A-Za-z0-9_]*$', 'name of an environment variable'],
  ['^\\$\\{', `\`$\{NAME}\`, of an environment variable`],
  ['^(?:\\/(?:[^~/]|', 'JSON pointer, may hold `*`'],
  ['^(?:\\/(?:[^~/*]|', 'JSON pointer'],
  ['^\\d{4}-', 'date, `YYYY-MM-DD`'],
  ['^[^:#\\s]', 'name without `:`, `#` and white space'],
  ['^[A-Za-z0-9]', 'name of letters, digits, `.`, `_`, `-`'],
  ['^(?!.*(.).*\\1)', 'flags out of `imsuv`'],
];

function stringType(pattern: Json | undefined): string {
  if (typeof pattern !== 'string') return 'text';
  const found = PATTERNS.find(([start]) => pattern.startsWith(start));
  if (found === undefined) throw new Error(`the reference has no words for ${pattern}`);
  return found[1];
}

function cell(text: string): string {
  return text
    .replace(/[|*]/g, '\\$&')
    .replaceAll('<', '&lt;')
    .replace(/\{\{[^}]*\}\}/g, '`$&`');
}

function formsOf(schema: JsonObject): JsonObject[] {
  const forms = schema.anyOf ?? schema.oneOf;
  return Array.isArray(forms) ? forms.filter(isObject) : [];
}

function valuesOf(schema: JsonObject): readonly Json[] {
  if (schema.const !== undefined) return [schema.const];
  return Array.isArray(schema.enum) ? schema.enum : [];
}

function objectAt(object: JsonObject, key: string): JsonObject {
  const value = object[key];
  return isObject(value) ? value : {};
}

function textAt(object: JsonObject, key: string): string {
  const value = object[key];
  return typeof value === 'string' ? value : '';
}

function stringsAt(object: JsonObject, key: string): string[] {
  const value = object[key];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
