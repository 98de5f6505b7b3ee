import type { WorkNews } from '../../domain/work-news.ts';
import type { EngineEvent } from '../../engine/events.ts';
import type { Store } from '../../store/store.ts';
import type { RunOutcome } from '../display/outcome.ts';
import type { Watched } from './queue-numbers.ts';

/** Hears of the work of this process, for a log, metrics or traces. Whatever goes wrong in it is told and is no reason for the work to stop. */
export interface Observer {
  onWork?(news: WorkNews): void;
  onEvent?(event: EngineEvent): void;
  /** The last word on a run. */
  onFinished?(outcome: RunOutcome): void;
  /** The lock of the database was held elsewhere. */
  onLockRetry?(): void;
  /** The store is open, and these runs will be worked on; the set grows. */
  onStore?(store: Store, watched: Watched): void;
  /** The command ends with this error. */
  onError?(error: unknown): void;
  close(): Promise<void>;
}

/** Tells a person what an observer could not do. */
export type Tell = (message: string) => void;
