import { isAddress, shownLocation } from '../store/location.ts';
import type { GlobalFlags } from './globals.ts';
import { shellWord } from './terminal/shell-word.ts';

/** How every command begins. */
export const PROGRAM = 'aieval';

/**
 * What stands in place of `aieval` in a printed command, so that it means the same database when it is typed from the same folder:
 * `aieval -C review --db x.db`. What a variable or the user's config said holds for the next command, too, and is not repeated.
 */
export function leadOf({ C, db, store, out, env = [], trustFs }: GlobalFlags): string {
  const words = [
    ...(C === undefined || isAddress(C) ? [] : ['-C', C]),
    // One of a server is refused; it may hold a password.
    ...(db === undefined || isAddress(db) ? [] : ['--db', db]),
    ...(store === undefined ? [] : ['--store', shownLocation(store)]),
    ...(out === undefined || isAddress(out) ? [] : ['--out', out]),
    ...env.flatMap((file) => (isAddress(file) ? [] : ['--env', file])),
    ...(trustFs === true ? ['--trust-fs'] : []),
  ];
  return [PROGRAM, ...words.map(shellWord)].join(' ');
}

/** The words that make `aieval …` a command, and no sentence about the program. `--help` lists the same. */
export const COMMAND_NAMES = [
  ...['init', 'validate', 'plan', 'run', 'worker', 'retry', 'cancel', 'pause', 'resume', 'status', 'scale', 'show', 'logs', 'summary'],
  ...['report', 'export', 'artifacts', 'extract', 'quote', 'budget', 'store', 'cache', 'gc', 'doctor', 'completion'],
] as const;

const COMMAND = new RegExp(`(?<![\\w./-])${PROGRAM}(?= (?:${COMMAND_NAMES.join('|')})(?![\\w-]))`, 'g');

/** The text with `lead` in front of each command in it. Every text that tells a person what to type goes through this once it is whole. */
export function asTyped(text: string, lead: string): string {
  return lead === PROGRAM ? text : text.replaceAll(COMMAND, () => lead);
}
