import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { Json } from '../domain/canonical-json.ts';
import { issueProblems } from '../domain/manifest/issues.ts';
import { mergeSources, withoutKeys } from '../domain/manifest/merge-sources.ts';
import { otherVersion } from '../domain/manifest/parse.ts';
import type { Problem } from '../domain/manifest/problem.ts';
import { isObject, itemsAt, valueAt } from '../domain/manifest/raw.ts';
import { extendsSchema } from '../domain/manifest/schema.ts';
import { problemWithValue, type Source } from '../domain/manifest/source.ts';
import { parseSource } from '../domain/manifest/syntax.ts';
import { outsideWarning } from './field-folder.ts';
import { bytesOrFault, type ManifestFiles, utf8OrNull } from './manifest-files.ts';

/** A manifest with all that it extends: one source whose values stand in several files. `null`: something of it could not be read. */
export type Layers = { readonly source: Source | null; readonly problems: readonly Problem[]; readonly warnings: readonly string[] };

export type LayersPlace = { readonly cwd: string; readonly baseDir: string; readonly files: ManifestFiles };

/** Files in a chain, the manifest included, and in all. */
const LONGEST_CHAIN = 10;
const MOST_FILES = 100;

/** Reads what the manifest of this name and text extends, and puts one over the other. */
export async function loadLayers(text: string, name: string, place: LayersPlace): Promise<Layers> {
  const loader = new LayersLoader(place);
  const source = await loader.load(text, name, [name]);
  return { source: loader.failed ? null : source, problems: loader.problems, warnings: loader.warnings };
}

class LayersLoader {
  readonly problems: Problem[] = [];
  readonly warnings: string[] = [];
  /** Whether the manifest is incomplete, so that it would be said to lack what stands in what could not be read. */
  failed = false;
  /** By absolute path, each read once. */
  readonly #done = new Map<string, Source | null>();
  readonly #place: LayersPlace;

  constructor(place: LayersPlace) {
    this.#place = place;
  }

  /** `chain`: names of the files that led here, this one last. */
  async load(text: string, name: string, chain: readonly string[]): Promise<Source | null> {
    const { source, problems } = parseSource(text, name);
    const newer = source === null ? null : otherVersion(source);
    this.problems.push(...(newer === null ? problems : [newer]));
    if (source === null || newer !== null) return this.#fail();
    const stated = extendsSchema.safeParse(valueAt(source.value, ['extends']));
    if (!stated.success) return this.#fail(...issueProblems(source, stated.error.issues, ['extends']));
    const top = withoutKeys(source, ['extends']);
    let under: Source | null = null;
    for (const [index, value] of itemsAt(source.value, ['extends'])) {
      const next = await this.#extended({ source, index, value, chain });
      if (next !== null) under = under === null ? next : mergeSources(under, next);
    }
    return under === null ? top : mergeSources(under, top);
  }

  async #extended(item: Item): Promise<Source | null> {
    const { source, index, value, chain } = item;
    if (typeof value !== 'string') return null;
    const name = isAbsolute(value) ? value : join(dirname(source.file.name), value);
    const path = this.#absolute(name);
    const names = [...chain, name];
    if (chain.some((each) => this.#absolute(each) === path)) return this.#fail(fault(item, 'E07', `goes in a circle: ${arrows(names)}`));
    if (names.length > LONGEST_CHAIN) return this.#fail(fault(item, 'E07', `is deeper than ${LONGEST_CHAIN} files: ${arrows(names)}`));
    const known = this.#done.get(path);
    if (known !== undefined) return known;
    if (this.#done.size >= MOST_FILES) return this.#fail(fault(item, 'E07', `is one file too many: ${MOST_FILES} may be extended in all`));
    this.warnings.push(...outsideWarning({ ...this.#place, source }, ['extends', index], value));
    const text = await this.#read(path);
    const loaded = typeof text === 'string' ? this.#fail(fault(item, 'E28', text)) : await this.load(text.text, name, names);
    const sound =
      loaded === null || isObject(loaded.value) ? loaded : this.#fail(fault(item, 'E07', 'must name a file that holds an object'));
    this.#done.set(path, sound);
    return sound;
  }

  /** The text, or the end of a sentence that begins with the file's name. */
  async #read(path: string): Promise<{ readonly text: string } | string> {
    if ((await this.#place.files.kindOf(path)) === 'special') return 'is a pipe or a device, not a file';
    const bytes = await bytesOrFault(this.#place.files, path);
    if (typeof bytes === 'string') return bytes === 'not found' ? `not found in ${dirname(path)}` : bytes;
    const text = utf8OrNull(bytes);
    return text === null ? 'is not UTF-8 text' : { text };
  }

  #absolute(name: string): string {
    return resolve(this.#place.cwd, name);
  }

  #fail(...problems: readonly Problem[]): null {
    this.failed = true;
    this.problems.push(...problems);
    return null;
  }
}

type Item = { readonly source: Source; readonly index: number; readonly value: Json; readonly chain: readonly string[] };

function fault({ source, index, value }: Item, code: 'E07' | 'E28', what: string): Problem {
  const path = ['extends', index];
  return problemWithValue(source, { code, path, what: `extends[${index}] ${JSON.stringify(value)} ${what}` });
}

function arrows(names: readonly string[]): string {
  return names.join(' → ');
}
