import type { Argument, Command, Option } from 'commander';
import { REASONS } from '../../domain/reason.ts';
import type { NameKind } from '../../store/names.ts';

export type Candidate = { readonly value: string; readonly about: string };

/** What can come next in a command line. */
type Next =
  | { readonly kind: 'words'; readonly candidates: readonly Candidate[] }
  | { readonly kind: 'files' | 'folders' }
  | { readonly kind: 'names'; readonly names: NameKind };

export type CompletionRequest = {
  readonly next: Next;
  /** What stands before the value in the same word: `--job=`; else empty. */
  readonly prefix: string;
  /** What is typed of the value. */
  readonly beginning: string;
  /** Values of the options before, by their long or only flag: the last one of each. */
  readonly given: ReadonlyMap<string, string>;
};

/** What `completeCommand` gets from a shell. */
export type Line = { /** Before the word. */ readonly words: readonly string[] /** Up to the cursor. */; readonly word: string };

/** Reads a command line as far as it is typed. */
export function completionRequest(program: Command, { words, word }: Line): CompletionRequest {
  const place = walk(
    program,
    words.map(unquoted).filter((each) => each !== ''),
  );
  const typed = unquoted(word);
  const { given, pending } = place;
  if (pending !== null) return { next: ofOption(pending), prefix: '', beginning: typed, given };
  const [, flag = '', value] = (place.ended ? null : /^(--[^=]+)=(.*)$/s.exec(typed)) ?? [];
  const option = value === undefined ? undefined : optionOf(place.command, flag);
  if (value !== undefined && option !== undefined) return { next: ofOption(option), prefix: `${flag}=`, beginning: value, given };
  const isOption = !place.ended && typed.startsWith('-');
  return { next: isOption ? ofOptions(place.command) : ofArgument(place), prefix: '', beginning: typed, given };
}

type Place = {
  readonly command: Command;
  /** Arguments of the command so far. */
  readonly count: number;
  /** Of `help`, the command whose commands it takes. */
  readonly helpOf: Command | null;
  /** The option that the next word is the value of. */
  readonly pending: Option | null;
  /** `--` stood before: options are over. */
  readonly ended: boolean;
  readonly given: ReadonlyMap<string, string>;
};

function walk(program: Command, words: readonly string[]): Place {
  const given = new Map<string, string>();
  let [command, count, ended] = [program, 0, false];
  let pending: Option | null = null;
  let helpOf: Command | null = null;
  for (const word of words) {
    if (pending !== null) {
      given.set(nameOf(pending), word);
      pending = null;
    } else if (!ended && word === '--') ended = true;
    else if (!ended && word.startsWith('-')) {
      const option = optionOf(command, word);
      if (option !== undefined && (option.required || option.optional)) pending = option;
    } else {
      const inner: Command | undefined = count === 0 ? visibleCommands(command).find((one) => one.name() === word) : undefined;
      if (inner?.name() === 'help') helpOf = command;
      if (inner === undefined) count += 1;
      else command = inner;
    }
  }
  return { command, count, helpOf, pending, ended, given };
}

function nameOf({ long, short }: Option): string {
  return long ?? short ?? '';
}

/** Of the command, or of those that it is in. */
function optionOf(command: Command, flag: string): Option | undefined {
  const own = command.options.find(({ long, short }) => flag === long || flag === short);
  return own ?? (command.parent === null ? undefined : optionOf(command.parent, flag));
}

function visibleCommands(command: Command): readonly Command[] {
  return command.createHelp().visibleCommands(command);
}

/** By what stands for the value in `--run <run>`, or by the option's own name. */
const NAMES: Readonly<Record<string, NameKind>> = {
  run: 'runs',
  job: 'jobs',
  '--document': 'documents',
  '--task': 'tasks',
  '--model': 'models',
};
const FILES: Readonly<Record<string, 'files' | 'folders'>> = { file: 'files', path: 'files', manifest: 'files', dir: 'folders' };

function ofOption(option: Option): Next {
  const placeholder = /[<[]([\w-]+)/.exec(option.flags)?.[1] ?? '';
  return ofValue(placeholder, option.argChoices, nameOf(option));
}

function ofArgument({ command, count, helpOf }: Place): Next {
  if (helpOf !== null) return count === 0 ? ofCommands(helpOf) : NOTHING;
  if (command.commands.length > 0) return count === 0 ? ofCommands(command) : NOTHING;
  const argument: Argument | undefined = command.registeredArguments[count] ?? command.registeredArguments.find(({ variadic }) => variadic);
  return argument === undefined ? NOTHING : ofValue(argument.name(), argument.argChoices);
}

const NOTHING: Next = { kind: 'words', candidates: [] };

function ofValue(placeholder: string, choices: readonly string[] | undefined, flag = ''): Next {
  if (choices !== undefined) return wordsOf(choices);
  if (placeholder === 'reason') return wordsOf(REASONS);
  const names = own(NAMES, flag) ?? own(NAMES, placeholder);
  if (names !== undefined) return { kind: 'names', names };
  const files = own(FILES, placeholder);
  return files === undefined ? NOTHING : { kind: files };
}

function own<Value>(values: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

function wordsOf(values: readonly string[]): Next {
  return { kind: 'words', candidates: values.map((value) => ({ value, about: '' })) };
}

function ofCommands(command: Command): Next {
  const candidates = visibleCommands(command).map((one) => ({ value: one.name(), about: one.summary() || one.description() }));
  return { kind: 'words', candidates };
}

function ofOptions(command: Command): Next {
  const help = command.createHelp();
  const options = [...help.visibleOptions(command), ...(command.parent === null ? [] : globalOptions(command))];
  return { kind: 'words', candidates: options.map((option) => ({ value: nameOf(option), about: option.description })) };
}

/** `--version` is for a line of its own. */
function globalOptions(command: Command): readonly Option[] {
  const help = command.createHelp();
  help.showGlobalOptions = true;
  return help.visibleGlobalOptions(command).filter(({ long }) => long !== '--version');
}

/** A word as the shell will read it, as far as that goes without running anything. */
function unquoted(word: string): string {
  return word.replace(/'([^']*)'?|"((?:[^"\\]|\\.)*)"?|\\(.)/gs, (_, single, double, escaped) =>
    typeof single === 'string' ? single : typeof double === 'string' ? double.replace(/\\(["\\$`])/g, '$1') : String(escaped),
  );
}
