import { readFileSync } from 'node:fs';
import { isVendorKey } from '../../providers/key-policy.ts';
import type { CliIo } from '../io.ts';
import { shortPath } from '../terminal/short-path.ts';
import { lineOfVariable } from './env-file.ts';

/** Why what a variable holds cannot be a key: the middle of a sentence that begins with its name, and what to do. */
type KeyFault = { readonly what: string; readonly next: string };

/**
 * What keeps the value of a variable from being sent as a key or a header; `null`: nothing, or it is not set. Of the value no more is shown
 * than what is wrong with it.
 */
export function keyFault(io: CliIo, variable: string): KeyFault | null {
  const value = io.env[variable] ?? '';
  if (value === '') return null;
  const place = placeOfValue(io, variable);
  const alien = [...value].findIndex((character) => !SENDABLE.test(character));
  if (alien !== -1) {
    const what = `holds ${characterName([...value][alien] ?? '')} at character ${alien + 1}, which no request can carry (from ${place})`;
    return { what, next: `write the key alone into ${variable}, without quotation marks and line breaks` };
  }
  // A server of one's own may have any word for a key.
  if (!isVendorKey(variable) || !isPlaceholder(value)) return null;
  return { what: `is "${value}", which stands for a key and is none (from ${place})`, next: `put your own key into ${variable}` };
}

/** What a header may hold, as RFC 9110 has it. */
const SENDABLE = /^[\t\x20-\x7e\x80-\xff]$/;

const NAMES: ReadonlyMap<string, string> = new Map([
  ['\n', 'a line break'],
  ['\r', 'a carriage return (the file has the line ends of Windows)'],
  ['\u2026', 'an ellipsis "…"'],
  ['\u200b', 'an invisible space (U+200B)'],
  ['\ufeff', 'a byte-order mark (U+FEFF)'],
]);

function characterName(character: string): string {
  const known = NAMES.get(character);
  if (known !== undefined) return known;
  const code = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
  return /^[\p{L}\p{N}\p{P}\p{S}]$/u.test(character) ? `"${character}" (${code})` : code;
}

/** What examples, and people who copied them, write where a key belongs. */
const PLACEHOLDERS: readonly RegExp[] = [
  /(?:^|[-_ <{[])your(?:[-_ ]|$)/i,
  /^(?:sk-)?(?:change|fill|insert|paste|put|replace)[-_ ]?(?:here|in|it|key|me|the|this|with)(?:[-_ ]|$)/i,
  /[-_ ](?:key|token)[-_ ](?:goes[-_ ])?here$/i,
  /^(?:sk-)?(?:<[^>]*>|\.{3,}|x{3,}|\*{3,}|(?:my[-_ ])?(?:api[-_ ]?)?key|dummy|none|placeholder|secret|test|todo)$/i,
];

function isPlaceholder(value: string): boolean {
  return PLACEHOLDERS.some((pattern) => pattern.test(value.trim()));
}

/** `.env:3` where a file of variables gave it. */
function placeOfValue({ cwd, notes }: CliIo, variable: string): string {
  const path = notes.envFiles.find(({ names }) => names.includes(variable))?.path;
  if (path === undefined) return 'the environment';
  const line = lineOfVariable(readFileSync(path, 'utf8'), variable);
  return `${shortPath(path, cwd)}${line === null ? '' : `:${line}`}`;
}
