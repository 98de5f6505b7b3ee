import type { Json } from '../canonical-json.ts';
import { segmentsOf } from './path.ts';
import { isObject, type JsonObject, valueAt } from './raw.ts';

/** The segment of a pointer at which no valid answer goes on, and the names that it could have there. */
export type DeadEnd = { readonly segment: string; readonly known: readonly string[] };

const COMBINATORS = ['anyOf', 'oneOf', 'allOf'] as const;
const BEYOND_US = [
  'if',
  'then',
  'else',
  'not',
  'dependentSchemas',
  'patternProperties',
  '$dynamicRef',
  'unevaluatedProperties',
  'propertyNames',
];
const SCALARS: ReadonlySet<Json> = new Set(['string', 'number', 'integer', 'boolean', 'null']);
const LONGEST_REF_CHAIN = 20;

/**
 * Where a pointer (segments may be `*`) leads to nothing that the schema allows; `null` when it may lead to something. Speaks only
 * when it is certain: a check that can never see anything would always pass, but a doubtful schema is the user's business.
 */
export function deadEnd(schema: Json, pointer: string): DeadEnd | null {
  let here: JsonObject[] = branches(schema, schema);
  for (const segment of segmentsOf(pointer)) {
    if (here.some(isOpen)) return null;
    const next = here.flatMap((node) => childrenOf(node, segment)).flatMap((child) => branches(child, schema));
    if (next.length === 0) return { segment, known: [...new Set(here.flatMap((node) => Object.keys(propertiesOf(node))))] };
    here = next;
  }
  return null;
}

/**
 * Where a pointer leads to a name that the schema allows but does not declare: more likely a slip than meant. `null` where it declares
 * all, and where it says itself that it knows not all names.
 */
export function undeclared(schema: Json, pointer: string): DeadEnd | null {
  let here: JsonObject[] = branches(schema, schema);
  for (const segment of segmentsOf(pointer)) {
    if (here.some(namesOthers)) return null;
    const next = here.flatMap((node) => childrenOf(node, segment)).flatMap((child) => branches(child, schema));
    const known = [...new Set(here.flatMap((node) => Object.keys(propertiesOf(node))))];
    if (next.length === 0) return known.length > 0 && here.some(isOpen) ? { segment, known } : null;
    here = next;
  }
  return null;
}

/** Whether a node takes names on purpose that it does not list. */
function namesOthers(node: JsonObject): boolean {
  return BEYOND_US.some((key) => key in node) || isObject(node.additionalProperties) || (typesOf(node).length === 0 && isBare(node));
}

function isBare(node: JsonObject): boolean {
  return node.properties === undefined && node.items === undefined && node.prefixItems === undefined;
}

/** Whether what the pointer leads to can never be of this type. Speaks only when it is certain, as `deadEnd` does. */
export function isNever(schema: Json, pointer: string, type: string): boolean {
  const nodes = nodesAt(schema, pointer);
  return nodes !== null && nodes.length > 0 && nodes.every((node) => isTyped(node) && !typesOf(node).includes(type));
}

/** Names that every object at the pointer must have; none where that is not certain. */
export function requiredOf(schema: Json, pointer: string): string[] {
  const [node, ...others] = nodesAt(schema, pointer) ?? [];
  if (node === undefined || others.length > 0 || BEYOND_US.some((key) => key in node)) return [];
  return listOf(node.required).flatMap((name) => (typeof name === 'string' ? [name] : []));
}

/** The schemas of which one must hold for what the pointer leads to; `null` when nobody knows. */
function nodesAt(schema: Json, pointer: string): JsonObject[] | null {
  let here: JsonObject[] = branches(schema, schema);
  for (const segment of segmentsOf(pointer)) {
    const next = here.flatMap((node) => childrenOf(node, segment));
    if (next.length === 0) return null;
    here = next.flatMap((child) => branches(child, schema));
  }
  return here;
}

/** The schemas of which one must hold for a value: the node itself, what it refers to, and its alternatives. */
function branches(node: Json, root: Json, hops = 0): JsonObject[] {
  if (node === false) return [];
  if (!isObject(node) || hops > LONGEST_REF_CHAIN) return [{}];
  const referred = typeof node.$ref === 'string' ? branches(localRef(root, node.$ref), root, hops + 1) : [];
  const alternatives = COMBINATORS.flatMap((key) => listOf(node[key]).flatMap((each) => branches(each, root, hops + 1)));
  const own = Object.keys(node).some((key) => key === 'type' || key === 'properties' || key === 'items' || key === 'prefixItems');
  return own || referred.length + alternatives.length === 0 ? [node, ...referred, ...alternatives] : [...referred, ...alternatives];
}

/** What a reference within the schema names; anything else allows everything, as far as we know. */
function localRef(root: Json, ref: string): Json {
  return ref.startsWith('#') ? (valueAt(root, segmentsOf(decodeURIComponent(ref.slice(1)))) ?? true) : true;
}

/** Whether values may have parts that the node does not name. */
function isOpen(node: JsonObject): boolean {
  if (BEYOND_US.some((key) => key in node)) return true;
  const types = typesOf(node);
  if (types.length > 0 && types.every((type) => SCALARS.has(type))) return false;
  const mayBeObject = types.length === 0 || types.includes('object');
  const mayBeList = types.length === 0 || types.includes('array');
  const openObject = mayBeObject && node.additionalProperties !== false;
  const openList = mayBeList && types.length > 0 && node.items === undefined;
  return openObject || openList;
}

function isTyped(node: JsonObject): boolean {
  return typesOf(node).length > 0 && !BEYOND_US.some((key) => key in node);
}

function typesOf({ type }: JsonObject): readonly Json[] {
  return typeof type === 'string' ? [type] : listOf(type);
}

function childrenOf(node: JsonObject, segment: string): Json[] {
  const items = [...(node.items === undefined ? [] : [node.items]), ...listOf(node.prefixItems)];
  const properties = propertiesOf(node);
  if (segment === '*') return [...items, ...Object.values(properties)];
  const property = Object.hasOwn(properties, segment) ? properties[segment] : undefined;
  return [...(property === undefined ? [] : [property]), ...(/^\d+$/.test(segment) ? items : [])];
}

function propertiesOf(node: JsonObject): JsonObject {
  return isObject(node.properties) ? node.properties : {};
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}
