import type { Json } from '../domain/canonical-json.ts';
import type { Match } from './pointer.ts';
import { keptValue, showPlace } from './show.ts';

/** `at /score, got nothing`. */
export function nothingThere(at: string): string {
  return `at ${showPlace(at)}, got nothing`;
}

/** What a score keeps of the values that were judged: the value, or all of several. */
export function keptValues(matches: readonly Match[]): Json {
  const [first] = matches;
  if (first === undefined) return null;
  return matches.length === 1 ? keptValue(first.value) : keptValue(matches.map((match) => match.value));
}

/** The message about the first wrong match, with how many there are of how many. */
export function withTally(message: string, wrong: readonly Match[], matches: readonly Match[]): string {
  return matches.length === 1 ? message : `${message} (${wrong.length} of ${matches.length} wrong)`;
}
