import type { WorkNews } from '../../domain/work-news.ts';
import type { EngineEvent } from '../../engine/events.ts';
import type { CliStream } from '../io.ts';
import type { RunOutcome } from './outcome.ts';
import type { RunNumbers } from './progress.ts';

/** Shows a run to whoever watches. Nothing here decides anything; every text from outside is made harmless before it is shown. */
export interface Display {
  /** Takes what the engine tells, as it happens. */
  onEvent(event: EngineEvent): void;
  /** Takes the store's own numbers of all runs at work, e.g. once a second: they replace what was counted from events. */
  onTotals(all: readonly RunNumbers[]): void;
  /** Takes the work itself, for those who keep a log, count or trace: a display that shows nothing of it has none. */
  onWork?(news: WorkNews): void;
  /** The last word on a run. */
  onFinished(outcome: RunOutcome): void;
  /** Gives the terminal back. Safe to call twice, and after anything went wrong. */
  close(): void;
  /** `onFinished` is to be given the run's summary, which takes reading all its rows. */
  readonly wantsSummary?: boolean;
  /** What it prints to. */
  readonly streams?: readonly CliStream[];
}
