import type { EngineEvent } from '../../engine/events.ts';
import type { RunTotals } from '../../store/rows.ts';
import type { RunOutcome } from './outcome.ts';

/** Shows a run to whoever watches. Nothing here decides anything; every text from outside is made harmless before it is shown. */
export interface Display {
  /** Takes what the engine tells, as it happens. */
  onEvent(event: EngineEvent): void;
  /** Takes the store's own numbers, e.g. once a second: they replace what was counted from events. */
  onTotals(totals: RunTotals): void;
  /** The last word on a run. */
  onFinished(outcome: RunOutcome): void;
  /** Gives the terminal back. Safe to call twice, and after anything went wrong. */
  close(): void;
}
