import type { ErrorObject } from 'ajv';
import { isJson } from './is-json.ts';
import { oneLine, showPlace, showValue } from './show.ts';

/** One breach for a person and for the model: `/findings/0/severity: must be one of "low", "high", got "urgent"`. */
export function schemaErrorLine(error: ErrorObject): string {
  return oneLine(`${showPlace(error.instancePath)}: ${expectation(error)}`);
}

/** A breach of a value that stands at `pointer`: validators speak of places below what they were given. */
export function breachBelow(pointer: string, line: string): string {
  if (pointer === '') return line;
  return line.startsWith('/') ? `${pointer}${line}` : line.replace(/^the answer:/, () => `${pointer}:`);
}

function expectation(error: ErrorObject): string {
  const got = isJson(error.data) ? `, got ${showValue(error.data)}` : '';
  switch (error.keyword) {
    case 'enum':
      return `must be one of ${listOf(error.params.allowedValues)}${got}`;
    case 'const':
      return `must be ${shown(error.params.allowedValue)}${got}`;
    case 'required':
      return `must have ${shown(error.params.missingProperty)}`;
    case 'additionalProperties':
      return `must not have ${shown(error.params.additionalProperty)}`;
    case 'unevaluatedProperties':
      return `must not have ${shown(error.params.unevaluatedProperty)}`;
    default:
      return `${error.message ?? `must fulfil "${error.keyword}"`}${got}`;
  }
}

function listOf(values: unknown): string {
  return Array.isArray(values) ? values.map(shown).join(', ') : shown(values);
}

function shown(value: unknown): string {
  return isJson(value) ? showValue(value) : 'a value';
}
