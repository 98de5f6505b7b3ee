import type { Command } from 'commander';
import { UserError } from '../../domain/errors.ts';
import { EXIT } from '../exit-codes.ts';
import { lineOf } from './line-of.ts';

/** Throws `UserError` (E00) for an argument or option that was typed and is empty, as with a variable that the shell does not know. */
export function refuseEmpty(command: Command): void {
  // A shell asks it about what is typed, which may be nothing.
  if (command.name() === 'complete') return;
  const name = emptyArgument(command) ?? emptyOption(command);
  if (name === null) return;
  const message = `${name} is empty: a variable that is not set?`;
  throw new UserError({ code: 'E00', exitCode: EXIT.usage, message, next: [`${lineOf(command)} --help`] });
}

function emptyArgument({ args, registeredArguments }: Command): string | null {
  const at = args.indexOf('');
  if (at === -1) return null;
  return `<${registeredArguments[Math.min(at, registeredArguments.length - 1)]?.name() ?? 'argument'}>`;
}

/** Of the command and of those that it belongs to. */
function emptyOption(command: Command | null): string | null {
  if (command === null) return null;
  const empty = command.options.find((option) => {
    const value: unknown = command.getOptionValue(option.attributeName());
    return value === '' || (Array.isArray(value) && value.includes(''));
  });
  return empty === undefined ? emptyOption(command.parent) : (empty.long ?? empty.flags);
}
