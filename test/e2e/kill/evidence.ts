import type { Rows } from './database.ts';
import type { Disturbance, Record } from './fleet.ts';
import type { BilledCall } from './oracle.ts';

/** All that is known when it is over: what the rows say, what the server saw, what was done to whom, what they said. */
export type Evidence = {
  readonly rows: Rows;
  readonly calls: readonly BilledCall[];
  readonly disturbances: readonly Disturbance[];
  readonly records: readonly Record[];
  /** `retry` commands started, by run: each may ask a bad question again. */
  readonly retries: ReadonlyMap<string, number>;
};

export type Attempt = { readonly token: string; readonly outcome: string; readonly reason: string | null; readonly atMs: number };

const ATTEMPTS = `
SELECT call_token AS token, outcome, reason, ended_at_ms AS "atMs" FROM attempts WHERE call_token IS NOT NULL ORDER BY attempt_id`;

/** How each call ended, in order. */
export function readAttempts(rows: Rows): Promise<readonly Attempt[]> {
  return rows.all<Attempt>(ATTEMPTS);
}

/** What the store holds of a call. */
export type LedgerRow = {
  readonly token: string;
  readonly runId: string;
  readonly state: string;
  readonly output: number | null;
  readonly costNanoUsd: number | null;
  readonly recordedAtMs: number | null;
  readonly sentAtMs: number | null;
};

export type Ledger = ReadonlyMap<string, LedgerRow>;

const LEDGER = `
SELECT c.call_token AS token, c.run_id AS "runId", c.state, c.output, c.cost_nano_usd AS "costNanoUsd",
  r.recorded_at_ms AS "recordedAtMs", c.sent_at_ms AS "sentAtMs"
FROM calls c LEFT JOIN responses r USING (call_token)`;

/** The ledger by call token. */
export async function readLedger(rows: Rows): Promise<Ledger> {
  return new Map((await rows.all<LedgerRow>(LEDGER)).map((row) => [row.token, row]));
}

export type StdoutEvent = {
  readonly event: string;
  readonly run?: string;
  readonly jobId?: string;
  readonly state?: string;
  readonly resultKept?: boolean;
};

/** What a process said; a killed one may have been cut off in its last line. */
export function eventsOf(stdout: string): StdoutEvent[] {
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}
