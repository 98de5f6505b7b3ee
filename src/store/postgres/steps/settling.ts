import type { RunFacts } from '../../run-facts.ts';
import type { Tx } from '../transactor.ts';
import type { Step } from './step-row.ts';

/** A step whose lease was just found to hold, about to be settled. */
export type Settling = { readonly tx: Tx; readonly run: RunFacts; readonly step: Step; readonly token: string };
