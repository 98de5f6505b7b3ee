import type { ResolvedManifest } from '../../domain/manifest/resolved.ts';
import { preflight } from '../../engine/preflight.ts';
import { createProviderSet, type ProviderSet } from '../../engine/provider-set.ts';
import type { Provider } from '../../providers/provider.ts';
import { bareProblem, mayShowWords } from '../display/bare.ts';
import type { Display } from '../display/display.ts';
import { withAdvice } from '../doctor/proxies.ts';
import type { CliIo } from '../io.ts';
import { makeProvider, type Trust } from './providers.ts';
import type { StartedManifest } from './run-line.ts';
import { listenForStop, type Stop } from './stop.ts';

/** What lives as long as this process works on a run: its providers, and its ear for signals. */
export type Session = {
  readonly providers: ProviderSet;
  readonly stop: Stop;
  /** Claims being worked on. */
  readonly inFlight: { count: number };
  /** Finds refused keys, unknown models and dead servers before anything is spent. Throws `UserError` (exit 4). */
  preflight(providerIds: ReadonlySet<string>): Promise<void>;
  close(): Promise<void>;
};

export type SessionOptions = {
  readonly display: Display;
  readonly manifest: ResolvedManifest;
  /** Its path is absolute. */
  readonly started: StartedManifest;
  readonly trust: Trust;
  /** Put around each provider before its first use (`--record`). */
  readonly wrap?: (provider: Provider) => Provider;
};

export function openSession(io: CliIo, { display, manifest, started, trust, wrap = (provider) => provider }: SessionOptions): Session {
  const inFlight = { count: 0 };
  const stop = listenForStop(io, () => inFlight.count, display.onEvent);
  const providers = createProviderSet(manifest, async (provider) => wrap(await makeProvider(io, provider, trust)));
  return {
    providers,
    stop,
    inFlight,
    preflight: async (providerIds) => {
      try {
        await preflight(manifest, providerIds, providers, stop.signals.stop);
      } catch (error) {
        throw withAdvice(io, started, mayShowWords(io, [io.stderr], manifest) ? error : bareProblem(error));
      }
    },
    close: async () => {
      stop.close();
      await providers.close();
    },
  };
}
