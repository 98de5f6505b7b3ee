import type { Command } from 'commander';
import { UserError } from '../../domain/errors.ts';
import { isAddress, isServer } from '../../store/location.ts';
import { EXIT } from '../exit-codes.ts';
import { lineOf } from './line-of.ts';

/** How the help calls what is a path. */
const PATHS: ReadonlySet<string> = new Set(['manifest', 'file', 'dir', 'path']);
/** It also takes `sqlite:`, and tells of others itself. */
const DATABASE = '--db';

/** Throws `UserError` (E00) for a URL where a path belongs: it would pass for a path, and messages would repeat it with its password. */
export function refuseAddresses(command: Command): void {
  const found = addressArgument(command) ?? addressOption(command);
  if (found === null) return;
  const next = isServer(found.value) ? '--store postgres://user@host:5432/database' : `${lineOf(command)} --help`;
  const why = isServer(found.value) ? '; a database is named with --store' : '; save what is there as a file first';
  throw new UserError({ code: 'E00', exitCode: EXIT.usage, message: `${found.name} must be a path, got a URL${why}`, next: [next] });
}

type Found = { readonly name: string; readonly value: string };

function addressArgument({ args, registeredArguments }: Command): Found | null {
  const found = args.flatMap((value, at) => {
    const name = registeredArguments[Math.min(at, registeredArguments.length - 1)]?.name() ?? '';
    return PATHS.has(name) && isAddress(value) ? [{ name: `<${name}>`, value }] : [];
  });
  return found[0] ?? null;
}

/** Of the command and of those that it belongs to. */
function addressOption(command: Command | null): Found | null {
  if (command === null) return null;
  const found = command.options.flatMap((option) => {
    const [, kind = ''] = /<(\w+)>/.exec(option.flags) ?? [];
    const name = option.long ?? option.flags.replace(/ .*/, '');
    if (!PATHS.has(kind) || name === DATABASE) return [];
    const values: readonly unknown[] = [command.getOptionValue(option.attributeName())].flat();
    return values.flatMap((value) => (typeof value === 'string' && isAddress(value) ? [{ name, value }] : []));
  });
  return found[0] ?? addressOption(command.parent);
}
