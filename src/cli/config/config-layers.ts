import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { isServer } from '../../store/location.ts';
import type { SettingLayers } from '../commands/options.ts';
import { fromFolder, type GlobalFlags, type Globals, resolveGlobals } from '../globals.ts';
import type { CliIo } from '../io.ts';
import { leadOf } from '../lead.ts';
import { STDERR } from '../observe/observe-options.ts';
import { shortPath } from '../terminal/short-path.ts';
import { readUserConfig } from './config-file.ts';
import { type Said, type SaidElsewhere, saidOf } from './config-said.ts';
import { withEnvFiles } from './env-file.ts';
import { envFolders } from './env-folders.ts';
import { isFolder } from './is-file.ts';

/** What a command is run with: the world and the global options. */
export type Resolved = { readonly io: CliIo; readonly globals: Globals };

/**
 * Everything that is said outside of the manifest: reads the files of variables and the user config, applies the global options, and fills the
 * command's own options that were not typed from the environment. Throws `UserError` for what cannot be meant.
 */
export async function resolveLayers(flags: GlobalFlags, given: CliIo, command: Command): Promise<Resolved> {
  const there = fromFolder(given, flags.C);
  const manifest = manifestOf(there, command);
  const folders = envFolders(there, manifest);
  const { env, read: envFiles } = withEnvFiles(there, flags.env ?? [], folders);
  // Before anything can go wrong: none of their secrets may be printed.
  given.notes.env = env;
  given.notes.envFiles = envFiles;
  given.notes.envPlace = manifest === null ? placeOf(folders, there.cwd) : '.env beside the manifest';
  const io = { ...there, env };
  const config = await readUserConfig(io);
  const { C: _applied, ...rest } = flags;
  fillOptions(command, { env, envFiles, config });
  const resolved = resolveGlobals(rest, io, { envFiles, config });
  given.notes.lead = leadFrom(there, flags, resolved.globals);
  return resolved;
}

function placeOf([folder]: readonly string[], cwd: string): string | null {
  return folder === undefined ? null : shortPath(join(folder, '.env'), cwd);
}

const MANIFEST_ARGUMENT = 'manifest';

/** The path of the manifest that a command is given; of a folder, that of some file in it. */
function manifestOf(io: CliIo, command: Command): string | null {
  const index = command.registeredArguments.findIndex((argument) => argument.name() === MANIFEST_ARGUMENT);
  const manifest: unknown = index === -1 ? undefined : command.processedArgs[index];
  if (typeof manifest !== 'string') return null;
  const path = resolve(io.cwd, manifest);
  return isFolder(path) ? join(path, 'manifest.json') : path;
}

/** A printed command holds what a file said of the state if the next command would not read that file. */
function leadFrom(io: CliIo, flags: GlobalFlags, { db, out, said }: Globals): string {
  if (flags.env !== undefined) return leadOf(flags);
  const seen = envFolders(io, null);
  const isMoved = ({ by, folder }: Said<string>): boolean => by === 'variable' && folder !== null && !seen.includes(folder);
  return leadOf({
    ...flags,
    ...movedStore(db, said, isMoved, io.cwd),
    ...(out !== null && isMoved(said.out) ? { out: shortPath(out, io.cwd) } : {}),
  });
}

function movedStore(
  location: string | null,
  said: Globals['said'],
  isMoved: (said: Said<string>) => boolean,
  cwd: string,
): Pick<GlobalFlags, 'db' | 'store'> {
  if (location === null) return {};
  if (isServer(location)) return isMoved(said.store) ? { store: location } : {};
  return isMoved(said.db) ? { db: shortPath(location, cwd) } : {};
}

/** Settings of a command that an option of it states. */
const OF_COMMANDS = ['concurrency', 'maxCost', 'maxJobs', 'maxQueueDepth', 'profile', 'tags', 'metrics', 'logFile', 'logLevel'] as const;

/** A path in a file is relative to the folder of that. */
function fromFolderOf({ folder }: Said<unknown>, path: string): string {
  return folder === null || path === STDERR ? path : resolve(folder, path);
}

function fillOptions(command: Command, elsewhere: SaidElsewhere): void {
  const from: Record<string, string> = {};
  const unstated: { concurrency?: number; maxCost?: number; maxJobs?: number; maxQueueDepth?: number } = {};
  for (const key of OF_COMMANDS) {
    if (!command.options.some((option) => option.attributeName() === key) || command.getOptionValue(key) !== undefined) continue;
    const said = saidOf(key, undefined, elsewhere);
    if (said.value === undefined) continue;
    from[key] = said.from;
    // What a manifest can say, it says louder than the user config.
    const inManifest = key === 'concurrency' || key === 'maxCost' || key === 'maxJobs' || key === 'maxQueueDepth';
    if (said.by === 'config' && inManifest && typeof said.value === 'number') unstated[key] = said.value;
    else command.setOptionValueWithSource(key, key === 'logFile' ? fromFolderOf(said, String(said.value)) : said.value, 'env');
  }
  const layers: SettingLayers = { from, unstated };
  command.setOptionValue('layers', layers);
}
