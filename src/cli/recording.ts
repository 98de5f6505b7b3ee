import type { Provider } from '../providers/provider.ts';

export type Recording = {
  /** Passes every call through and keeps what came back. */
  readonly wrap: (provider: Provider) => Provider;
  /** Writes the cassette; what an earlier recording holds for other calls stays in it. */
  save(): Promise<void>;
};

/** Collects the answers of a run for the `replay` provider: `run --record FILE`. */
export async function openRecording(path: string): Promise<Recording> {
  const { createCassetteSink, recordingProvider, writeCassette } = await import('../providers/recording.ts');
  const sink = createCassetteSink();
  return {
    wrap: (provider) => recordingProvider(provider, sink),
    save: () => writeCassette(path, sink.entries()),
  };
}
