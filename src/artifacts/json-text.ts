import { canonicalJson } from '../domain/canonical-json.ts';

/** A JSON file for people: keys sorted, two spaces, trailing newline. Same value, same bytes. */
export function prettyJson(value: unknown): string {
  return `${JSON.stringify(JSON.parse(canonicalJson(value)), null, 2)}\n`;
}

/** One line of a JSON Lines file: the object's own keys in the order it was made with, everything inside them sorted. */
export function jsonLine(value: object): string {
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(',')}}\n`;
}
