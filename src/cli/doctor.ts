import { UserError } from '../domain/errors.ts';
import { jsonLine } from '../domain/hostile-text.ts';
import type { Inspection } from '../store/maintenance.ts';
import { inspectState } from './context.ts';
import { doctorLines } from './doctor-screen.ts';
import { EXIT } from './exit-codes.ts';
import type { Globals } from './globals.ts';
import type { CliIo } from './io.ts';
import { asNativeModuleError } from './native-module.ts';
import { painter } from './terminal/style.ts';
import { packageVersion } from './version.ts';

/** `aieval doctor`: what is wrong, and what helps. Returns the exit code for storage when there is a problem. */
export async function doctorCommand(io: CliIo, globals: Globals): Promise<number> {
  const checks = [
    { check: 'aieval', status: 'ok' as const, message: `aieval ${packageVersion()}`, next: [] },
    nodeVersion(process.versions.node),
    ...(await storage(io, globals)),
  ];
  if (globals.json) io.stdout.write(`${jsonLine({ v: 1, checks: checks.map(recordOf) })}\n`);
  else io.stdout.write(doctorLines(checks, { paint: painter(globals.colour.stdout), quiet: globals.quiet }).join(''));
  return checks.some(({ status }) => status === 'problem') ? EXIT.storage : EXIT.pass;
}

function recordOf({ check, status, message, next }: Inspection): object {
  return { check, status, message, next };
}

/** Major and minor, as in package.json. */
const OLDEST_NODE: readonly [number, number] = [20, 19];

/** Whether this Node is one that aieval is made for. */
export function nodeVersion(version: string): Inspection {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE;
  const isOld = major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
  if (!isOld) return { check: 'node', status: 'ok', message: `Node ${version}`, next: [] };
  const message = `Node ${version} is too old: ${OLDEST_NODE.join('.')} or newer is needed.`;
  return { check: 'node', status: 'problem', message, next: ['install a newer Node: https://nodejs.org'] };
}

/** A store that cannot be looked at at all is a finding like any other. */
async function storage(io: CliIo, globals: Globals): Promise<readonly Inspection[]> {
  try {
    return await inspectState(io, { manifestPath: null, db: globals.db, out: globals.out });
  } catch (error) {
    const known = error instanceof UserError ? error : asNativeModuleError(error);
    if (known === null) throw error;
    return [{ check: 'sqlite', status: 'problem', message: known.message, next: known.next }];
  }
}
