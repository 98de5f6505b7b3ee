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
    if (!isMissingPackage(error)) return await report(error, argv, io);
    io.stderr.write(`error: aieval is not fully installed: ${error.message}\nnext: npm ci\n`);
    return EXIT.bug;
  }
}

/** Loaded when it is needed: what only asks for the version starts twice as fast without it. */
async function report(error: unknown, argv: readonly string[], io: CliIo): Promise<number> {
  const { errorLook, reportError } = await import('./error-output.ts');
  return reportError(error, errorLook(argv, io));
}

/** `node_modules` is not there: commander is the first package that is asked for. */
function isMissingPackage(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
}

/** The whole life of the `aieval` process. */
export async function runProcess(): Promise<void> {
  const { io, leave, stopWork } = processIo();
  const argv = io.notes.argv;
  const tell = async (error: unknown): Promise<number> => {
    // A panel that is still there would be drawn again by what is written.
    io.notes.closeDisplay?.();
    return await report(error, argv, io);
  };
  const fault = onUncaught({ tell, stopWork });
  const exitCode = await main(argv, io);
  await leave(fault.exitCode ?? exitCode);
}

/** The calls in flight have the time that SIGTERM gives them, and their answers a moment more to be stored. */
const LONGEST_STOP_MS = 15_000;

type OnUncaught = { readonly tell: (error: unknown) => Promise<number>; readonly stopWork: () => boolean };

/**
 * What nobody waits for threw, and no `finally` runs. It is told; then work under way is asked to stop, so that calls that are paid for are
 * stored and leases handed back, and the process ends with the exit code that is returned here; where nothing is to stop, or it takes too
 * long, it ends at once. This stands before the shim's own listeners, which have the word where our modules cannot be loaded. What goes
 * wrong meanwhile is not told: telling it may be what is broken.
 */
function onUncaught({ tell, stopWork }: OnUncaught): { readonly exitCode: number | null } {
  const shims = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  const fault: { exitCode: number | null } = { exitCode: null };
  let isTelling = false;
  process.on('uncaughtException', (error, origin) => {
    if (fault.exitCode !== null) return;
    if (isTelling) process.exit(EXIT.bug);
    isTelling = true;
    tell(error).then(
      (exitCode) => {
        fault.exitCode = exitCode;
        if (!stopWork()) process.exit(exitCode);
        setTimeout(() => process.exit(exitCode), LONGEST_STOP_MS);
      },
      () => {
        for (const listener of shims) listener(error, origin);
        process.exit(EXIT.bug);
      },
    );
  });
  return fault;
}
