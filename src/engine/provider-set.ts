import type { ResolvedManifest, ResolvedProvider } from '../domain/manifest/resolved.ts';
import type { Provider } from '../providers/provider.ts';

/** The providers of one run, each made when it is first needed: a run served from the cache needs no key. */
export type ProviderSet = { get(id: string): Promise<Provider>; close(): Promise<void> };

export function createProviderSet(manifest: ResolvedManifest, create: (provider: ResolvedProvider) => Promise<Provider>): ProviderSet {
  const atOnce = callsAtOnce(manifest);
  const made = new Map<string, Promise<Provider>>();
  const get = (id: string): Promise<Provider> => {
    const known = made.get(id);
    if (known !== undefined) return known;
    const provider = manifest.providers[id];
    if (provider === undefined) throw new Error(`provider ${id} is not in the manifest`);
    const promise = create({ ...provider, concurrency: atOnce(provider) });
    made.set(id, promise);
    return promise;
  };
  const close = async (): Promise<void> => {
    // One that could not be made was told when it was asked for, and has nothing to close.
    for (const provider of made.values())
      await provider.then(
        (each) => each.close(),
        () => undefined,
      );
  };
  return { get, close };
}

/** Calls at once to a provider: each group of its models has the provider's limits for itself. */
function callsAtOnce({ models }: ResolvedManifest): (provider: ResolvedProvider) => number {
  return ({ id, concurrency }) => {
    const groups = new Set(Object.values(models).flatMap(({ provider, group }) => (provider === id ? [group] : [])));
    return concurrency * Math.max(1, groups.size);
  };
}
