import { basename, dirname, join, resolve } from 'node:path';
import { UserError } from '../domain/errors.ts';
import { checkTargetProblems } from '../domain/manifest/check-targets.ts';
import { ManifestError } from '../domain/manifest/manifest-error.ts';
import { inspectManifest } from '../domain/manifest/parse.ts';
import { sortedProblems } from '../domain/manifest/problem.ts';
import { itemsAt, valueAt } from '../domain/manifest/raw.ts';
import { resolveManifest } from '../domain/manifest/resolve.ts';
import type { ResolvedManifest } from '../domain/manifest/resolved.ts';
import type { Source } from '../domain/manifest/source.ts';
import { strictAdvice } from '../domain/manifest/strict-advice.ts';
import { suggestion } from '../domain/manifest/suggest.ts';
import { loadFields, outsideWarning } from './load-fields.ts';
import { bytesOrFault, diskFiles, type ManifestFiles, utf8OrNull } from './manifest-files.ts';

export type LoadedManifest = {
  readonly manifest: ResolvedManifest;
  /** Absolute path of the manifest and of its folder, to which all paths in it are relative. */
  readonly path: string;
  readonly baseDir: string;
  /** One line each, with `file:line:column` in front. */
  readonly warnings: readonly string[];
};

export type LoadDependencies = {
  /** Absolute; where a relative path starts. Messages name files as the path was typed, so typed paths give short messages. */
  readonly cwd?: string;
  readonly files?: ManifestFiles;
};

/**
 * Finds a manifest, reads it and all files that it names, and fills in the defaults. `path` is a file, or a folder that holds
 * one; messages name files as `path` does. Throws `UserError` E01 when there is no manifest, else `ManifestError` with every
 * problem at once. Both exit 2: nothing is spent.
 */
export async function loadManifest(path: string, { cwd = '', files = diskFiles }: LoadDependencies = {}): Promise<LoadedManifest> {
  const name = await manifestName(path, cwd, files);
  const absolute = resolve(cwd, name);
  const baseDir = dirname(absolute);
  const { source, manifest, problems } = inspectManifest(await readText(name, absolute, files), name);
  if (source === null) throw new ManifestError(problems);
  const fields = await loadFields(source, baseDir, files);
  const all = sortedProblems([...problems, ...fields.problems]);
  if (manifest === null || all.length > 0) throw new ManifestError(all);
  const resolved = resolveManifest(manifest, fields.loaded, basename(baseDir));
  const blind = Object.values(resolved.tasks).flatMap((task) => checkTargetProblems(source, task));
  if (blind.length > 0) throw new ManifestError(sortedProblems(blind));
  const warnings = [...documentWarnings(source, baseDir), ...fields.warnings, ...strictAdvice(source, resolved)];
  return { manifest: resolved, path: absolute, baseDir, warnings };
}

const MANIFEST_NAMES = ['manifest.json', 'manifest.jsonc', 'manifest.yaml', 'manifest.yml'];

/** The path of the manifest itself: of a folder, the first of the usual names in it. */
async function manifestName(path: string, cwd: string, files: ManifestFiles): Promise<string> {
  const absolute = resolve(cwd, path);
  const kind = await files.kindOf(absolute);
  if (kind === 'file') return path;
  if (kind === null) throw await notFound(basename(absolute), dirname(absolute), files);
  const names = await files.namesIn(absolute);
  const found = MANIFEST_NAMES.find((each) => names.includes(each));
  if (found === undefined) throw await notFound('manifest.json', absolute, files);
  return join(path, found);
}

async function notFound(name: string, folder: string, files: ManifestFiles): Promise<UserError> {
  const names = await files.namesIn(folder);
  const stem = name.replace(/\.[^.]*$/, '');
  const twin = names.find((each) => MANIFEST_NAMES.includes(each) && each.startsWith(`${stem}.`));
  const near = twin ?? suggestion(name, names);
  return new UserError({
    code: 'E01',
    exitCode: 2,
    message: `${name} not found in ${folder}${near === null ? '' : `: did you mean ${near}?`}`,
    next: [near === null ? 'aieval init' : `aieval validate ${near}`],
  });
}

async function readText(name: string, absolute: string, files: ManifestFiles): Promise<string> {
  const bytes = await bytesOrFault(files, absolute);
  const text = typeof bytes === 'string' ? null : utf8OrNull(bytes);
  if (text !== null) return text;
  const fault = typeof bytes === 'string' ? bytes : 'is not UTF-8 text';
  throw new UserError({ code: 'E01', exitCode: 2, message: `${name} ${fault}` });
}

function documentWarnings(source: Source, baseDir: string): string[] {
  return itemsAt(source.value, ['documents']).flatMap(([index]) =>
    [
      ['documents', index],
      ['documents', index, 'path'],
      ['documents', index, 'include'],
    ].flatMap((field) => {
      const value = valueAt(source.value, field);
      return typeof value === 'string' ? outsideWarning({ source, baseDir }, field, value) : [];
    }),
  );
}
