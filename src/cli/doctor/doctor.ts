import { UserError } from '../../domain/errors.ts';
import { jsonLine } from '../../domain/hostile-text.ts';
import type { Inspection } from '../../store/maintenance.ts';
import type { DoctorOptions } from '../commands/options.ts';
import { allowedHosts } from '../config/allow-hosts.ts';
import { inspectState, spoolFolders } from '../context.ts';
import { EXIT, worst } from '../exit-codes.ts';
import type { Globals } from '../globals.ts';
import type { CliIo } from '../io.ts';
import { asTyped } from '../lead.ts';
import { asNativeModuleError } from '../native-module.ts';
import { usableColumns } from '../terminal/look.ts';
import { painter } from '../terminal/style.ts';
import { packageVersion } from '../version.ts';
import { inspectMachine } from './doctor-machine.ts';
import { inspectManifest, onlineNames } from './doctor-manifest.ts';
import { checkLines, sumLines } from './doctor-screen.ts';

/** Checks, and the exit code that a problem among them means. */
type Part = { readonly exitCode: number; readonly checks: readonly Inspection[] };

/**
 * `aieval doctor [MANIFEST]`: what is wrong, and what helps. Each check is printed as soon as it is known. Returns the exit code for
 * storage, for the manifest, or for keys and endpoints when there is a problem of that kind.
 */
export async function doctorCommand(io: CliIo, globals: Globals, manifest: string | null, options: DoctorOptions): Promise<number> {
  const parts: Part[] = [
    { exitCode: EXIT.storage, checks: [aieval(), nodeVersion(process.versions.node), ...(await storage(io, globals))] },
    { exitCode: EXIT.storage, checks: await inspectMachine(io, globals, spoolFolders(io)) },
  ];
  const allowHosts = allowedHosts(io.env, options.allowHost);
  // `--online` without a manifest is about the one in this folder.
  const argument = manifest ?? (options.online === true ? '.' : null);
  const found = argument === null ? null : await inspectManifest(io, argument, { ...options, allowHost: allowHosts });
  if (found !== null) parts.push({ exitCode: EXIT.usage, checks: found.manifest }, { exitCode: EXIT.access, checks: found.keys });
  const toAsk = options.online === true ? (found?.loaded?.manifest ?? null) : null;
  const screen = openScreen(io, globals, toAsk === null ? [] : onlineNames(toAsk));
  screen.show(parts.flatMap(({ checks }) => checks));
  if (found !== null && toAsk !== null) {
    const { inspectOnline } = await import('./doctor-online.ts');
    const ears = { onCheck: (check: Inspection) => screen.show([check]), onWait: screen.wait };
    parts.push({ exitCode: EXIT.access, checks: await inspectOnline(io, toAsk, { allowHosts, without: keyless(found.keys), ...ears }) });
  }
  screen.end(parts.flatMap(({ checks }) => checks));
  return worst(parts.flatMap((part) => (part.checks.some(({ status }) => status === 'problem') ? [part.exitCode] : [])));
}

type Screen = {
  /** Checks that are known now. */
  show(checks: readonly Inspection[]): void;
  wait(text: string): void;
  end(checks: readonly Inspection[]): void;
};

/** As JSON there is one object, at the end. `later`: the names of checks that are to come. */
function openScreen(io: CliIo, globals: Globals, later: readonly string[]): Screen {
  if (globals.json) {
    const end = (checks: readonly Inspection[]) =>
      io.stdout.write(`${jsonLine({ v: 1, checks: checks.map((check) => recordOf(typedHere(io, check))) })}\n`);
    return { show: () => undefined, wait: () => undefined, end };
  }
  const { quiet, colour } = globals;
  const columns = usableColumns(io.stdout, Number.POSITIVE_INFINITY);
  const look = { paint: painter(colour.stdout), quiet, columns };
  // The first lines are many, and stand in a column with those that come later.
  let width = Math.max(0, ...later.map((name) => name.length));
  return {
    show(checks) {
      const shown = checks.filter(({ status }) => !quiet || status !== 'ok').map((check) => typedHere(io, check));
      width = Math.max(width, ...shown.map(({ check }) => check.length));
      io.stdout.write(checkLines(shown, { ...look, width }).join(''));
    },
    wait(text) {
      if (!quiet) io.stderr.write(`${text}\n`);
    },
    end: (checks) => io.stdout.write(sumLines(checks, look).join('')),
  };
}

function typedHere({ notes }: CliIo, check: Inspection): Inspection {
  return { ...check, next: check.next.map((step) => asTyped(step, notes.lead)) };
}

/** A check of a key is named after its provider. */
function keyless(keys: readonly Inspection[]): ReadonlySet<string> {
  return new Set(keys.flatMap(({ check, status }) => (status === 'problem' ? [check.replace(/^key /, '')] : [])));
}

function aieval(): Inspection {
  return { check: 'aieval', status: 'ok', message: `aieval ${packageVersion()}`, next: [] };
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
