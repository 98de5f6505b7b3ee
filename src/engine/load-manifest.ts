import { basename, dirname, join, resolve } from 'node:path';
import type { FoundFile } from '../documents/files/find-files.ts';
import type { Json } from '../domain/canonical-json.ts';
import { UserError } from '../domain/errors.ts';
import { budgetProblems } from '../domain/manifest/budget-problems.ts';
import { checkTargetProblems } from '../domain/manifest/check-targets.ts';
import { ManifestError } from '../domain/manifest/manifest-error.ts';
import { MANIFEST_NAMES } from '../domain/manifest/manifest-names.ts';
import { mergeProblems } from '../domain/manifest/merge-problems.ts';
import { inspectSource } from '../domain/manifest/parse.ts';
import { type Path, pointerOf } from '../domain/manifest/path.ts';
import { type Problem, sortedProblems } from '../domain/manifest/problem.ts';
import type { ChosenProfile } from '../domain/manifest/profiles.ts';
import { isObject, itemsAt, valueAt } from '../domain/manifest/raw.ts';
import { type LoadedFields, resolveManifest } from '../domain/manifest/resolve.ts';
import type { ResolvedManifest } from '../domain/manifest/resolved.ts';
import { schemaAdvice } from '../domain/manifest/schema-advice.ts';
import type { Source } from '../domain/manifest/source.ts';
import { strictAdvice } from '../domain/manifest/strict-advice.ts';
import { suggestion } from '../domain/manifest/suggest.ts';
import { targetAdvice } from '../domain/manifest/target-advice.ts';
import { type FieldPlace, outsideWarning } from './field-folder.ts';
import { type DocumentList, fromBaseDir, loadDocuments } from './load-documents.ts';
import { loadFields } from './load-fields.ts';
import { loadLayers } from './load-layers.ts';
import { bytesOrFault, diskFiles, type ManifestFiles, utf8OrNull } from './manifest-files.ts';
import { withPrices } from './with-prices.ts';
import { type StartSettings, withSettings } from './with-settings.ts';

export type LoadedManifest = {
  readonly manifest: ResolvedManifest;
  /** Absolute path of the manifest and of its folder, to which all paths in it are relative. */
  readonly path: string;
  readonly baseDir: string;
  /** The files that its `documents` names: found, not opened. Sorted by id. */
  readonly documents: readonly FoundFile[];
  readonly documentList: DocumentList;
  /** One line each, with `file:line:column` in front. */
  readonly warnings: readonly string[];
  /** As it is written, with all that it extends and the profile put over it. */
  readonly source: Source;
};

export type LoadDependencies = {
  /** Absolute; where a relative path starts. Messages name files as the path was typed, so typed paths give short messages. */
  readonly cwd?: string;
  readonly files?: ManifestFiles;
  readonly profile?: ChosenProfile | null;
  readonly settings?: StartSettings;
  /** How the bound in USD of `settings` is called in messages. */
  readonly maxCostName?: string;
};

/**
 * Finds a manifest and its documents, reads it, what it extends and all other files that it names, puts the profile over it, and fills in the
 * defaults. `path` is a file, or a folder that holds one; messages name files as `path` does. Throws `UserError` E01 when there is no
 * manifest, else `ManifestError` with every problem at once. Both exit 2: nothing is spent.
 */
export async function loadManifest(path: string, dependencies: LoadDependencies = {}): Promise<LoadedManifest> {
  const { cwd = '', files = diskFiles, profile = null, settings = {}, maxCostName = 'budget.usd' } = dependencies;
  const name = await manifestName(path, cwd, files);
  const absolute = resolve(cwd, name);
  const baseDir = dirname(absolute);
  const layers = await loadLayers(await readText(name, absolute, files), name, { cwd, baseDir, files });
  if (layers.source === null) throw new ManifestError(sortedProblems(layers.problems));
  const { source, manifest, problems } = inspectSource(layers.source, { problems: layers.problems, profile });
  if (source === null) throw new ManifestError(problems);
  const place = { source, cwd, baseDir, files };
  const { documents, list: documentList, problems: unfound } = await loadDocuments(place);
  const fields = await loadFields(place);
  const schemaOf = answerSchemas(source, fields.loaded, [...problems, ...fields.problems]);
  const all = sortedProblems([
    ...problems,
    ...unfound,
    ...checkTargetProblems(source, schemaOf),
    ...mergeProblems(source, schemaOf),
    ...fields.problems,
  ]);
  if (manifest === null || all.length > 0) throw new ManifestError(all);
  const stated = resolveManifest(manifest, fields.loaded, basename(baseDir));
  const complete = withSettings(withPrices({ ...stated, documents: fromBaseDir(stated.documents, place) }), source, settings);
  const usdIsStated = settings.maxCost === undefined && valueAt(source.value, ['budget', 'usd']) !== undefined;
  const unenforceable = budgetProblems(source, complete, usdIsStated ? 'budget.usd' : maxCostName);
  if (unenforceable.length > 0) throw new ManifestError(unenforceable);
  const warnings = [
    ...layers.warnings,
    ...documentWarnings(place),
    ...fields.warnings,
    ...strictAdvice(source, complete),
    ...schemaAdvice(source, complete),
    ...targetAdvice(source, complete),
  ];
  return { manifest: complete, path: absolute, baseDir, documents, documentList, warnings, source };
}

/** A task's `output.schema` where nothing is wrong with it: rules about faulty schemas would be noise. */
function answerSchemas(source: Source, loaded: LoadedFields, problems: readonly Problem[]): (task: string) => Json | null {
  const faulty = new Set(problems.map(({ path }) => path));
  return (task) => {
    const path: Path = ['tasks', task, 'output', 'schema'];
    const pointer = pointerOf(path);
    const field = loaded.get(pointer);
    const schema = field?.kind === 'schema' ? field.schema : valueAt(source.value, path);
    return !faulty.has(pointer) && (isObject(schema) || typeof schema === 'boolean') ? schema : null;
  };
}

/** The path of the manifest itself: of a folder, the first of the usual names in it. */
async function manifestName(path: string, cwd: string, files: ManifestFiles): Promise<string> {
  const absolute = resolve(cwd, path);
  const kind = await files.kindOf(absolute);
  // `special` as well: `aieval validate <(command)` is a pipe.
  if (kind === 'file' || kind === 'special') return path;
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

function documentWarnings(place: FieldPlace): string[] {
  return itemsAt(place.source.value, ['documents']).flatMap(([index]) =>
    [
      ['documents', index],
      ['documents', index, 'path'],
      ['documents', index, 'include'],
    ].flatMap((field) => {
      const value = valueAt(place.source.value, field);
      return typeof value === 'string' ? outsideWarning(place, field, value) : [];
    }),
  );
}
