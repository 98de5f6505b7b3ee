import { EXIT } from './exit-codes.ts';
import type { CliIo } from './io.ts';
import { processIo } from './process-io.ts';
import { packageVersion } from './version.ts';

/**
 * Runs one command line (`argv` without node and script) and returns its exit code. Never throws: what goes wrong is printed on
 * stderr. The command-line parser, and each command, load only when they are asked for.
 */
export async function main(argv: readonly string[], io: CliIo): Promise<number> {
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    io.stdout.write(`${packageVersion()}\n`);
    return 0;
  }
  try {
    const { runProgram } = await import('./program.ts');
    return await runProgram(argv, io);
  } catch (error) {
    if (!isMissingPackage(error)) throw error;
    io.stderr.write(`error: aieval is not fully installed: ${error.message}\nnext: npm ci\n`);
    return EXIT.bug;
  }
}

/** `node_modules` is not there: commander is the first package that is asked for. */
function isMissingPackage(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
}

/** The whole life of the `aieval` process. */
export async function runProcess(): Promise<void> {
  const { io, leave } = processIo();
  await leave(await main(process.argv.slice(2), io));
}
