import { patternOf } from './normalise.ts';

/** A character reference of HTML. */
const ENTITY = /&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});/g;
/** Fewer are a text about HTML. */
const SEVERAL = 3;
/** Parts the references in the one text that is parsed; private use, so that none of them stands for it. */
const SEPARATOR = '\ue000';
/** What would break a line stays as it is, so that line numbers hold. */
const BREAKING = patternOf([
  [0x00, 0x1f],
  [0x7f, 0x9f],
  [0x2028, 0x2029],
]);

/** What several HTML entities in a text stand for, by entity; empty when there are too few, or the text is markup itself. */
export async function entitiesOf(text: string): Promise<ReadonlyMap<string, string>> {
  if (text.trimStart().startsWith('<')) return new Map();
  const found = text.match(ENTITY) ?? [];
  if (found.length < SEVERAL) return new Map();
  const distinct = [...new Set(found)];
  const { parseFragment } = await import('parse5');
  const [node] = parseFragment(distinct.join(SEPARATOR)).childNodes;
  const values = node !== undefined && 'value' in node ? node.value.split(SEPARATOR) : [];
  const known = distinct.flatMap((entity, index): [string, string][] => {
    const value = values[index];
    return value === undefined || value === entity || value.search(BREAKING) >= 0 ? [] : [[entity, value]];
  });
  const decodable = new Map(known);
  return found.filter((entity) => decodable.has(entity)).length < SEVERAL ? new Map() : decodable;
}

/** The text with these entities decoded, once. */
export function decodeEntities(text: string, entities: ReadonlyMap<string, string>): string {
  return entities.size === 0 ? text : text.replace(ENTITY, (entity) => entities.get(entity) ?? entity);
}

/** The warning that entities were decoded; none for none. */
export function entityWarnings(entities: ReadonlyMap<string, string>): readonly string[] {
  if (entities.size === 0) return [];
  return [`HTML entities decoded: ${[...entities.keys()].slice(0, SEVERAL).join(' ')}${entities.size > SEVERAL ? ' …' : ''}`];
}
