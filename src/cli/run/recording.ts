import type { Provider } from '../../providers/provider.ts';
import type { RunRow } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import type { CliIo } from '../io.ts';
import { asTyped } from '../lead.ts';
import { counted } from '../terminal/format.ts';

export type Recording = {
  /** Passes every call through and keeps what came back. */
  readonly wrap: (provider: Provider) => Provider;
  /** Writes the cassette, with the answers that the run had already; what an earlier recording holds for other calls stays in it. */
  save(store: Store, run: RunRow): Promise<void>;
};

/**
 * Collects the answers of a run for the `replay` provider: `run --record FILE`. Throws `UserError` when the file could not be
 * written, before anything is paid for.
 */
export async function openRecording(io: CliIo, path: string): Promise<Recording> {
  const { createCassetteSink, probeCassette, recordingProvider, writeCassette } = await import('../../providers/recording.ts');
  await probeCassette(path);
  const sink = createCassetteSink();
  return {
    wrap: (provider) => recordingProvider(provider, sink),
    save: async (store, run) => {
      const { completeRecording } = await import('../../engine/complete-recording.ts');
      const { missing } = await completeRecording(store, run, sink);
      await writeCassette(path, sink.entries());
      if (missing > 0) io.stderr.write(`warning: ${asTyped(missingAnswers(missing, path), io.notes.lead)}\n`);
    },
  };
}

/** Failures that are remembered from another run, or happened in another process, leave no answer that could be looked up. */
function missingAnswers(missing: number, path: string): string {
  const jobs = `${counted(missing, 'job')} ${missing === 1 ? 'was' : 'were'} not asked, or not wholly, by this process and ${missing === 1 ? 'is' : 'are'}`;
  return `${jobs} not whole in ${path}. To ask everything again: aieval run MANIFEST --new --no-cache --record FILE`;
}
