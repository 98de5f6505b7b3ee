import { UserError } from '../domain/errors.ts';
import type { ResolvedProvider } from '../domain/manifest/resolved.ts';
import type { Provider } from './provider.ts';
import type { Sleep } from './sleep.ts';

/** What a provider needs from outside. Keys and headers come as values, already found to be allowed there. */
export type ProviderDeps = {
  readonly apiKey: string | null;
  readonly headers: { readonly [name: string]: string };
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly sleep: Sleep;
  /** The text of a UTF-8 file. */
  readonly readFile: (path: string) => Promise<string>;
};

type Create = (provider: ResolvedProvider, deps: ProviderDeps) => Promise<Provider>;

/** One line per type; each module is loaded only when a manifest uses it. */
const PROVIDERS: { readonly [type in ResolvedProvider['type']]: Create } = {
  openai: async (provider, deps) => (await import('./openai.ts')).createOpenAiProvider(openAiOptions(provider, deps)),
  replay: async (provider, deps) => (await import('./replay.ts')).createReplayProvider(await replayOptions(provider, deps)),
  simulated: async ({ latencyMs }, deps) => (await import('./simulated.ts')).createSimulatedProvider({ ...deps, latencyMs }),
};

/** Makes a provider of the manifest. Throws `UserError` for an unreadable cassette or a key that cannot be sent. */
export function createProvider(provider: ResolvedProvider, deps: ProviderDeps): Promise<Provider> {
  return PROVIDERS[provider.type](provider, deps);
}

function openAiOptions({ id, baseUrl, stream, concurrency }: ResolvedProvider, { apiKey, headers, clock }: ProviderDeps) {
  if (baseUrl === null) throw new Error(`provider ${id} has no base URL`);
  // One more than the calls, for the preflight of another run on the same provider.
  return { baseUrl, apiKey, headers, stream, connections: concurrency + 1, clock };
}

async function replayOptions({ id, cassette, latencyMs }: ResolvedProvider, { sleep, clock, readFile }: ProviderDeps) {
  if (cassette === null) throw new Error(`provider ${id} has no cassette`);
  const { path } = cassette;
  const text = await readFile(path).catch((cause: unknown) => {
    throw unreadable(id, path, cause);
  });
  const { parseCassette } = await import('./cassette.ts');
  return { cassette: parseCassette(text, path), path, latencyMs, sleep, clock };
}

function unreadable(id: string, path: string, cause: unknown): UserError {
  const why = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
  return new UserError({
    code: 'E01',
    exitCode: 2,
    message: `providers.${id}.cassette: ${path} cannot be read (${why})`,
    next: ['correct the path, or record it: aieval run MANIFEST --record FILE'],
    cause,
  });
}
