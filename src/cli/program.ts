import { Command, CommanderError, Option } from 'commander';
import { UserError } from '../domain/errors.ts';
import { addCommands } from './commands.ts';
import { reportError } from './error-output.ts';
import { EXIT, EXIT_MEANINGS } from './exit-codes.ts';
import { type GlobalFlags, resolveGlobals } from './globals.ts';
import type { CliIo } from './io.ts';
import { DISPLAY_KINDS, usableColumns, wantsColour } from './terminal/look.ts';
import { packageVersion } from './version.ts';

const HELP_COLUMNS = 100;

const BEGINNING = `To begin:
  aieval init                  write a small example: manifest, document, prompt
  aieval run manifest.json     evaluate; the same line again continues, or reuses what is known
  aieval status --watch        look at it from a second terminal
`;

/** Parses and runs one command line; returns the exit code. Every error is printed here and nowhere else. */
export async function runProgram(argv: readonly string[], io: CliIo): Promise<number> {
  const parsed: Parsed = { exitCode: EXIT.pass, usage: '', stoppedBy: null };
  const program = buildProgram(io, parsed);
  noteWhoStops(program, parsed);
  const look = {
    stderr: io.stderr,
    json: argv.includes('--json'),
    colour: wantsColour(io.stderr, io.env, argv.includes('--no-color')),
  };
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return parsed.exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) return reportError(error, look);
    if (error.exitCode === 0) return EXIT.pass;
    const command = parsed.stoppedBy ?? program;
    if (error.code !== 'commander.help') return reportError(usageError(parsed.usage, command), look);
    // commander was given no command, or one after `help` that it does not know.
    if (argv.includes('help')) return reportError(usageError('there is no help on that', program), look);
    if (command !== program) return reportError(usageError(missingCommand(command), command), look);
    io.stdout.write(`${program.description()}\n\n${BEGINNING}\nAll commands: aieval --help\n`);
    return EXIT.pass;
  }
}

type Parsed = { exitCode: number; usage: string /** The command whose line is wrong. */; stoppedBy: Command | null };

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
    .configureHelp({ showGlobalOptions: true, helpWidth: Math.min(usableColumns(io.stdout, HELP_COLUMNS), HELP_COLUMNS) })
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => {
        parsed.usage += text;
      },
      getOutHasColors: () => wantsColour(io.stdout, io.env, false),
    });
  addGlobalOptions(program);
  addCommands(program, async (work) => {
    const there = resolveGlobals(program.opts<GlobalFlags>(), io);
    parsed.exitCode = await work(there.io, there.globals);
  });
  return program.addHelpText('after', `\n${BEGINNING}\n${exitCodeHelp()}`);
}

function addGlobalOptions(program: Command): void {
  program
    .option('-C <dir>', 'run as if started in this folder')
    .option('--db <path>', 'database to use instead of .aieval/aieval.db (env AIEVAL_DB)')
    .option('--out <dir>', "folder for the runs' files instead of .aieval/runs")
    .option('--trust-fs', 'use a database on a file system that may be unsafe for it (env AIEVAL_TRUST_FS=1)')
    .option('--json', 'print JSON on stdout, and nothing else there')
    .option('-q, --quiet', 'print only what went wrong')
    .option('--no-color', 'print without colour (env NO_COLOR)')
    .addOption(new Option('--display <kind>', 'how progress is shown (env AIEVAL_DISPLAY)').choices(DISPLAY_KINDS));
}

function exitCodeHelp(): string {
  return ['Exit codes:', ...EXIT_MEANINGS.map(([code, meaning]) => `  ${String(code).padStart(3)}  ${meaning}`)].join('\n');
}

/** A command that only holds others was given none of them. */
function missingCommand(group: Command): string {
  return `${lineOf(group)} needs a command: ${group.commands.map((command) => command.name()).join(', ')}`;
}

/** commander's own words, on one line, with the command that helps. */
function usageError(text: string, command: Command): UserError {
  const [first = '', ...suggestions] = text.trim().split('\n');
  const hint = suggestions.map((line) => line.replace(/^\((.*)\)$/, ' $1')).join('');
  const message = `${first.replace(/^error: /, '').replace(/\.$/, '')}${hint === '' ? '' : `.${hint}`}`;
  return new UserError({ code: 'E00', exitCode: EXIT.usage, message, next: [`${lineOf(command)} --help`] });
}

/** `aieval budget settle-unknown`. */
function lineOf(command: Command): string {
  return command.parent === null ? command.name() : `${lineOf(command.parent)} ${command.name()}`;
}
