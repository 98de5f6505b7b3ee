import type { Json } from '../canonical-json.ts';
import type { CheckSpec } from './resolved.ts';
import type { ManifestInput } from './schema.ts';

type CheckInput = ManifestInput['tasks'][string]['checks'][number];

/** The schema of a check's field: `stated`, or what the file holds that it names. */
export type SchemaOf = (checkIndex: number, field: 'schema' | 'where', stated: Json) => Json;

/** Checks as they run. One without an id takes its type's name; further ones of a type are numbered: `count`, `count-2`. */
export function resolveChecks(checks: readonly CheckInput[], schemaOf: SchemaOf): CheckSpec[] {
  const taken = new Set(checks.flatMap(({ id }) => (id === undefined ? [] : [id])));
  return checks.map((check, index) => {
    const id = check.id ?? freeId(check.type, taken);
    taken.add(id);
    return resolveCheck(check, id, (field, stated) => schemaOf(index, field, stated));
  });
}

function freeId(type: string, taken: ReadonlySet<string>): string {
  let id = type;
  for (let number = 2; taken.has(id); number += 1) id = `${type}-${number}`;
  return id;
}

function resolveCheck(check: CheckInput, id: string, schemaOf: (field: 'schema' | 'where', stated: Json) => Json): CheckSpec {
  const base = { id, at: check.at, severity: check.severity };
  switch (check.type) {
    case 'schema':
      return { ...base, type: check.type, schema: schemaOf('schema', check.schema) };
    case 'evidence':
      return {
        ...base,
        type: check.type,
        minChars: check.minChars,
        minVerified: check.minVerified,
        page: check.page ?? null,
        line: check.line ?? null,
        elided: check.elided,
        absence: check.absence,
      };
    case 'equals':
      return { ...base, type: check.type, value: check.value };
    case 'contains':
    case 'not-contains':
      return { ...base, type: check.type, text: check.text, ignoreCase: check.ignoreCase };
    case 'regex':
      return { ...base, type: check.type, pattern: check.pattern, flags: check.flags };
    case 'range':
      return { ...base, type: check.type, min: check.min ?? null, max: check.max ?? null };
    case 'count': {
      const where = check.where === undefined ? null : schemaOf('where', check.where);
      return { ...base, type: check.type, where, min: check.min ?? null, max: check.max ?? null };
    }
  }
}
