import type { Json } from '../domain/canonical-json.ts';
import { isRecord, type JsonRecord, listAt, recordAt, textAt } from './json-shape.ts';

/** A number in [0, 1) that depends on nothing but its place; stands in for chance. */
export type Draw = (place: string) => number;

export type InstanceOptions = {
  readonly draw: Draw;
  /** Text for a string property of that name at that place. */
  readonly text: (name: string, place: string) => string;
};

/** Below it optional properties are left out and the last alternative is taken, so that recursive schemas end. */
const DEEP = 6;
const DEEPEST = 24;
const USUAL_ITEMS = 2;

/** A value that fits the schema, the same for the same draws. `pattern` and rarer keywords are not obeyed. */
export function schemaInstance(schema: Json, options: InstanceOptions): Json {
  return instance(schema, { ...options, root: schema, depth: 0, place: '', name: '' });
}

type Place = InstanceOptions & { readonly root: Json; readonly depth: number; readonly place: string; readonly name: string };

function instance(schema: unknown, at: Place): Json {
  if (!isRecord(schema) || at.depth > DEEPEST) return null;
  const reference = textAt(schema, '$ref');
  if (reference !== null) return instance(resolved(reference, at.root), deeper(at));
  if (schema.const !== undefined) return asJson(schema.const);
  const choices = listAt(schema, 'enum');
  if (choices.length > 0) return asJson(choices[indexOf(at, choices.length)]);
  const alternatives = [...listAt(schema, 'anyOf'), ...listAt(schema, 'oneOf')];
  if (alternatives.length > 0) return instance(at.depth > DEEP ? alternatives.at(-1) : alternatives[0], deeper(at));
  const all = listAt(schema, 'allOf');
  if (all.length > 0) return instance(all.reduce<JsonRecord>(mergedSchema(at.root), { ...schema, allOf: undefined }), deeper(at));
  return typed(schema, at);
}

function typed(schema: JsonRecord, at: Place): Json {
  switch (typeOf(schema)) {
    case 'object':
      return objectInstance(schema, at);
    case 'array':
      return arrayInstance(schema, at);
    case 'integer':
      return numberInstance(schema, at, 1);
    case 'number':
      return numberInstance(schema, at, 0.001);
    case 'boolean':
      return at.draw(at.place) < 0.5;
    case 'null':
      return null;
    default:
      return stringInstance(schema, at);
  }
}

function typeOf(schema: JsonRecord): string {
  const { type } = schema;
  const named = Array.isArray(type) ? type.find((item) => item !== 'null') : type;
  if (typeof named === 'string') return named;
  if (schema.properties !== undefined) return 'object';
  return schema.items === undefined ? 'string' : 'array';
}

function objectInstance(schema: JsonRecord, at: Place): Json {
  const required = new Set(listAt(schema, 'required'));
  const wanted = Object.entries(recordAt(schema, 'properties')).filter(([name]) => at.depth <= DEEP || required.has(name));
  return Object.fromEntries(
    wanted.map(([name, property]) => [name, instance(property, { ...deeper(at), name, place: `${at.place}/${name}` })]),
  );
}

function arrayInstance(schema: JsonRecord, at: Place): Json {
  const least = numberAt(schema, 'minItems') ?? 0;
  const count = Math.max(least, Math.min(numberAt(schema, 'maxItems') ?? USUAL_ITEMS, at.depth > DEEP ? 0 : USUAL_ITEMS));
  const items = schema.items ?? { type: 'string' };
  return Array.from({ length: count }, (_, index) => instance(items, { ...deeper(at), place: `${at.place}/${index}` }));
}

/** A multiple of the step within the bounds. */
function numberInstance(schema: JsonRecord, at: Place, usualStep: number): Json {
  const step = numberAt(schema, 'multipleOf') ?? usualStep;
  const above = numberAt(schema, 'exclusiveMinimum');
  const below = numberAt(schema, 'exclusiveMaximum');
  const least = Math.max(numberAt(schema, 'minimum') ?? above ?? 0, above === null ? Number.NEGATIVE_INFINITY : above);
  const most = Math.min(numberAt(schema, 'maximum') ?? below ?? Math.max(10, least + 10), below ?? Number.POSITIVE_INFINITY);
  const first = Math.ceil(least / step) + (above !== null && Math.ceil(least / step) * step <= above ? 1 : 0);
  const last = Math.floor(most / step) - (below !== null && Math.floor(most / step) * step >= below ? 1 : 0);
  const chosen = first + Math.floor(at.draw(at.place) * Math.max(1, last - first + 1));
  return Number((chosen * step).toPrecision(12));
}

const FORMATS: ReadonlyMap<string, string> = new Map([
  ['date', '2026-01-31'],
  ['date-time', '2026-01-31T12:00:00Z'],
  ['time', '12:00:00Z'],
  ['email', 'reader@example.org'],
  ['uri', 'https://example.org/'],
  ['uuid', '00000000-0000-4000-8000-000000000000'],
]);

function stringInstance(schema: JsonRecord, at: Place): string {
  const formatted = FORMATS.get(textAt(schema, 'format') ?? '');
  if (formatted !== undefined) return formatted;
  const text = at.text(at.name, at.place);
  const least = numberAt(schema, 'minLength') ?? 0;
  const most = numberAt(schema, 'maxLength') ?? Number.POSITIVE_INFINITY;
  const long = text.length < least ? text.padEnd(least, ` ${text || 'x'}`) : text;
  return long.slice(0, Math.min(long.length, most));
}

function mergedSchema(root: Json): (sum: JsonRecord, part: unknown) => JsonRecord {
  return (sum, part) => {
    const reference = textAt(part, '$ref');
    const own = reference === null ? part : resolved(reference, root);
    if (!isRecord(own)) return sum;
    const properties = { ...recordAt(sum, 'properties'), ...recordAt(own, 'properties') };
    const required = [...listAt(sum, 'required'), ...listAt(own, 'required')];
    return { ...sum, ...own, ...(Object.keys(properties).length === 0 ? {} : { properties }), required };
  };
}

/** `#/$defs/name` within the document; other references give nothing. */
function resolved(reference: string, root: Json): unknown {
  if (!reference.startsWith('#')) return undefined;
  const steps = reference
    .slice(1)
    .split('/')
    .filter((step) => step !== '');
  return steps.reduce<unknown>((node, step) => childOf(node, decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')), root);
}

function childOf(node: unknown, step: string): unknown {
  if (Array.isArray(node)) return node[Number(step)];
  return isRecord(node) ? node[step] : undefined;
}

function numberAt(schema: JsonRecord, key: string): number | null {
  const value = schema[key];
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

function indexOf(at: Place, count: number): number {
  return Math.floor(at.draw(at.place) * count);
}

function deeper(at: Place): Place {
  return { ...at, depth: at.depth + 1 };
}

/** A part of a schema is JSON already. */
function asJson(value: unknown): Json {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value.map(asJson);
  return isRecord(value) ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, asJson(item)])) : null;
}
