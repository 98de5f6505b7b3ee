import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command, CommanderError, Option } from 'commander';
import { UserError } from '../domain/errors.ts';
import { MANIFEST_NAMES } from '../domain/manifest/manifest-names.ts';
import { suggestion } from '../domain/manifest/suggest.ts';
import { collect } from './commands/command-parts.ts';
import { addCommands } from './commands/commands.ts';
import { lineOf } from './commands/line-of.ts';
import { refuseAddresses } from './commands/refuse-addresses.ts';
import { refuseEmpty } from './commands/refuse-empty.ts';
import { type Resolved, resolveLayers } from './config/config-layers.ts';
import { LOG_FORMATS } from './config/config-settings.ts';
import { errorLook, reportError } from './error-output.ts';
import { EXIT, EXIT_MEANINGS } from './exit-codes.ts';
import type { GlobalFlags } from './globals.ts';
import type { CliIo } from './io.ts';
import { leadOf } from './lead.ts';
import { DISPLAY_KINDS, usableColumns, wantsColour } from './terminal/look.ts';
import { packageVersion } from './version.ts';

const HELP_COLUMNS = 100;
/** Of the descriptions beside the options: with less room a terminal breaks them, within words. */
const FEWEST_HELP_COLUMNS = 16;

const BEGINNING = `To begin:
  aieval init                  write a small example: manifest, document, prompt
  aieval run manifest.json     evaluate; the same line again continues, or reuses what is known
  aieval status --watch        look at it from a second terminal
`;

/** Parses and runs one command line; returns the exit code. Every error is printed here and nowhere else. */
export async function runProgram(argv: readonly string[], io: CliIo): Promise<number> {
  const parsed: Parsed = { exitCode: EXIT.pass, usage: '', stoppedBy: null, resolved: null };
  const program = buildProgram(io, parsed);
  noteWhoStops(program, parsed);
  const look = errorLook(argv, io);
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return parsed.exitCode;
  } catch (error) {
    // commander reads these options wherever they stand, also of a line that it refuses.
    if (parsed.resolved === null) io.notes.lead = leadOf(program.opts());
    if (!(error instanceof CommanderError)) return reportError(error, look);
    if (error.exitCode === 0) return EXIT.pass;
    const command = parsed.stoppedBy ?? program;
    if (error.code === 'commander.missingArgument') {
      const [first] = parsed.usage.split('\n');
      return reportError(usageError(first ?? '', command, withManifest(io, program.opts<GlobalFlags>(), command)), look);
    }
    if (error.code !== 'commander.help') return reportError(usageError(parsed.usage, command), look);
    // commander was given no command, or one after `help` that it does not know.
    if (argv.includes('help')) return reportError(usageError('there is no help on that', program), look);
    if (command !== program) return reportError(usageError(missingCommand(command), command), look);
    io.stdout.write(`${program.description()}\n\n${BEGINNING}\nAll commands: aieval --help\n`);
    return EXIT.pass;
  }
}

type Parsed = {
  exitCode: number;
  usage: string;
  /** The command whose line is wrong. */
  stoppedBy: Command | null;
  resolved: Resolved | null;
};

/** commander ends a process in the command that it was reading. */
function noteWhoStops(command: Command, parsed: Parsed): void {
  command.exitOverride((error) => {
    parsed.stoppedBy ??= command;
    throw error;
  });
  for (const one of command.commands) noteWhoStops(one, parsed);
}

function buildProgram(io: CliIo, parsed: Parsed): Command {
  const program = new Command('aieval')
    .description('aieval evaluates batches of documents with language models: every claim with its quote, every call paid once.')
    .usage('<command> [options]')
    .version(packageVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help on a command')
    .helpCommand('help [command]', 'print help on a command')
    .showSuggestionAfterError()
    .configureHelp({
      showGlobalOptions: true,
      helpWidth: Math.min(usableColumns(io.stdout, HELP_COLUMNS), HELP_COLUMNS),
      minWidthToWrap: FEWEST_HELP_COLUMNS,
    })
    .addHelpText('beforeAll', ({ command }) => refuseUnknown(command))
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => {
        parsed.usage += text;
      },
      getOutHasColors: () => wantsColour(io.stdout, io.env, false),
    });
  addGlobalOptions(program);
  program.hook('preAction', async (_program, command) => {
    io.notes.lead = leadOf(program.opts());
    refuseEmpty(command);
    refuseAddresses(command);
    parsed.resolved = await resolveLayers(program.opts<GlobalFlags>(), io, command);
  });
  addCommands(program, async (work) => {
    const { resolved } = parsed;
    if (resolved === null) throw new Error('a command is run before its options are known');
    parsed.exitCode = await work(resolved.io, resolved.globals);
  });
  return program.addHelpText('after', `\n${BEGINNING}\n${exitCodeHelp()}`);
}

function addGlobalOptions(program: Command): void {
  program
    .option('-C <dir>', 'run as if started in this folder')
    .option('--db <path>', 'database to use instead of .aieval/aieval.db (env AIEVAL_DB)')
    .option('--store <url>', 'PostgreSQL database to use instead, for several machines (env AIEVAL_STORE)')
    .option('--out <dir>', "folder for the runs' files instead of .aieval/runs (env AIEVAL_OUT)")
    .option('--env <file>', 'read variables that are not set from this file, and no .env; repeat it for more', collect)
    .option('--trust-fs', 'use a database on a file system that may be unsafe for it (env AIEVAL_TRUST_FS=1)')
    .option('--json', 'print JSON on stdout, and nothing else there')
    .option('-q, --quiet', 'print only what went wrong')
    .option('--no-color', 'print without colour (env NO_COLOR)')
    .option('--no-input', 'never ask a question (env AIEVAL_NO_INPUT=1)')
    .addOption(new Option('--display <kind>', 'how progress is shown (env AIEVAL_DISPLAY)').choices(DISPLAY_KINDS))
    .addOption(new Option('--log-format <kind>', 'how it is told where there is no panel (env AIEVAL_LOG_FORMAT)').choices(LOG_FORMATS));
}

function exitCodeHelp(): string {
  return ['Exit codes:', ...EXIT_MEANINGS.map(([code, meaning]) => `  ${String(code).padStart(3)}  ${meaning}`)].join('\n');
}

/** commander would help with the group instead, as if nothing were wrong. */
function refuseUnknown(group: Command): string {
  const [word = ''] = group.args;
  const names = group.commands.map((command) => command.name());
  if (names.length === 0 || word === '' || word.startsWith('-') || word === 'help' || names.includes(word)) return '';
  const meant = suggestion(word, names);
  throw usageError(`unknown command '${word}'${meant === null ? '' : `\n(Did you mean ${meant}?)`}`, group);
}

/** A command that only holds others was given none of them. */
function missingCommand(group: Command): string {
  return `${lineOf(group)} needs a command: ${group.commands.map((command) => command.name()).join(', ')}`;
}

/** The line with the manifest of the folder, where it lacks only that. */
function withManifest({ cwd }: CliIo, { C: folder = '' }: GlobalFlags, command: Command): string | undefined {
  if (command.registeredArguments[0]?.name() !== 'manifest') return undefined;
  const name = MANIFEST_NAMES.find((each) => existsSync(resolve(cwd, folder, each)));
  return name === undefined ? undefined : `${lineOf(command)} ${name}`;
}

/** commander's own words, on one line, with the command that helps. */
function usageError(text: string, command: Command, next = `${lineOf(command)} --help`): UserError {
  const [first = '', ...suggestions] = text.trim().split('\n');
  const hint = suggestions.map((line) => line.replace(/^\((.*)\)$/, ' $1')).join('');
  const message = `${first.replace(/^error: /, '').replace(/\.$/, '')}${hint === '' ? '' : `.${hint}`}`;
  return new UserError({ code: 'E00', exitCode: EXIT.usage, message, next: [next] });
}
