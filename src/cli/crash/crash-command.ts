import { basename } from 'node:path';

/** Commands that only hold others. */
const GROUPS: ReadonlySet<string> = new Set(['budget', 'cache', 'store']);
const COMMAND = /^[a-z][a-z-]{1,20}$/;
const OPTION = /^--?[a-zA-Z][a-z-]{0,30}$/;
/** A number, a run, `latest`: they tell nothing of documents. */
const HARMLESS = /^(?:-?\d+(?:\.\d+)?|latest|r-[0-9a-v]{8})$/;
const FILE = /^[^\s:]{0,200}\.(?:json|jsonc|jsonl|yaml|yml|md|txt|pdf|docx|html|db)$/i;

/**
 * A command line for a crash report: commands, names of options, numbers and run ids as they were typed, of paths to files the last part;
 * any other value may be a key or a document's text, and is left out.
 */
export function crashCommand(argv: readonly string[]): string[] {
  let expected = 1;
  return argv.map((word) => {
    if (expected > 0 && COMMAND.test(word)) {
      expected = GROUPS.has(word) ? 1 : expected - 1;
      return word;
    }
    return safeWord(word);
  });
}

function safeWord(word: string): string {
  const [name = '', ...value] = word.split('=');
  if (OPTION.test(name)) return value.length === 0 ? name : `${name}=${safeValue(value.join('='))}`;
  return safeValue(word);
}

function safeValue(value: string): string {
  if (HARMLESS.test(value)) return value;
  if (!FILE.test(value)) return '<…>';
  return basename(value) === value ? value : `…/${basename(value)}`;
}
