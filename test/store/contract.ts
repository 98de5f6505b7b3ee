import type { Store } from '../../src/store/store.ts';
import { answersContract } from './contract-answers.ts';
import { budgetContract } from './contract-budget.ts';
import { cacheContract } from './contract-cache.ts';
import { claimsContract } from './contract-claims.ts';
import { controlContract } from './contract-control.ts';
import { failuresContract } from './contract-failures.ts';
import { keyFactsContract } from './contract-key-facts.ts';
import { logContract } from './contract-log.ts';
import { meansContract } from './contract-means.ts';
import { moneyContract } from './contract-money.ts';
import { oldestContract } from './contract-oldest.ts';
import { pacingContract } from './contract-pacing.ts';
import { partsContract } from './contract-parts.ts';
import { queueContract } from './contract-queue.ts';
import { retryContract } from './contract-retry.ts';
import { rowsContract } from './contract-rows.ts';
import { runsContract } from './contract-runs.ts';
import { warmUpContract } from './contract-warm-up.ts';

export type OpenedStore = {
  readonly store: Store;
  /** A second handle on the same place, as another process has it. */
  readonly another: () => Promise<Store>;
  /** Sets the cap over all runs of the store. */
  readonly setMaxRunning: (value: number) => void | Promise<void>;
  readonly dispose: () => Promise<void>;
};

/** Opens an empty store that reads this clock; `random` is always 1/2 and tokens are new each time. */
export type OpenStore = (clock: () => number) => Promise<OpenedStore>;

/** The exam: every store passes it whole. */
export function storeContract(name: string, open: OpenStore): void {
  claimsContract(name, open);
  answersContract(name, open);
  failuresContract(name, open);
  runsContract(name, open);
  rowsContract(name, open);
  controlContract(name, open);
  retryContract(name, open);
  moneyContract(name, open);
  meansContract(name, open);
  keyFactsContract(name, open);
  cacheContract(name, open);
  pacingContract(name, open);
  budgetContract(name, open);
  warmUpContract(name, open);
  partsContract(name, open);
  logContract(name, open);
  oldestContract(name, open);
  queueContract(name, open);
}
