import { canonicalJson, type Json } from './canonical-json.ts';

/** A part of a key that is not the same; `prompt` and `system` are told by their hashes alone. */
export type KeyDifference = { readonly part: string; readonly mine: Json; readonly theirs: Json };

/** In the words of the manifest. */
const NAMES: Readonly<Record<string, string>> = {
  systemSha256: 'system',
  promptSha256: 'prompt',
  version: 'format version',
  namespace: 'cache.namespace',
};

/** Which have values of their own, each of which is compared by itself. */
const NESTED: ReadonlySet<string> = new Set(['params', 'output']);

/** The parts of two key records that are not the same, in the order of their names; a part that is missing is `null`. */
export function keyDifference(mine: Json, theirs: Json): KeyDifference[] {
  const [ours, others] = [partsOf(mine), partsOf(theirs)];
  const names = [...new Set([...ours.keys(), ...others.keys()])];
  const differences = names.flatMap((name) => {
    const [one, other] = [ours.get(name) ?? null, others.get(name) ?? null];
    return canonicalJson(one) === canonicalJson(other) ? [] : [{ part: NAMES[name] ?? name, mine: one, theirs: other }];
  });
  return differences.sort((one, other) => (one.part < other.part ? -1 : 1));
}

function partsOf(record: Json): Map<string, Json> {
  return new Map(entriesOf(record).flatMap(([name, value]) => (NESTED.has(name) ? nested(name, value) : [[name, value] as const])));
}

function nested(name: string, value: Json): (readonly [string, Json])[] {
  return entriesOf(value).map(([inner, each]) => [`${name}.${inner}`, each] as const);
}

function entriesOf(value: Json): [string, Json][] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
}
