import type { Command } from 'commander';

/** `aieval budget settle-unknown`. */
export function lineOf(command: Command): string {
  return command.parent === null ? command.name() : `${lineOf(command.parent)} ${command.name()}`;
}
