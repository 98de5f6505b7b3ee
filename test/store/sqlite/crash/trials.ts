import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { START_MS } from '../../bench.ts';
import { FaultyDatabase } from './faulty-database.ts';
import { dump } from './invariants.ts';
import { type OpenedStore, openIn } from './open-file.ts';
import { operationRows, prepare, STARTS } from './operation-rows.ts';
import { OPERATIONS, type OperationName } from './operations.mjs';

/** Every operation that a test can disturb. */
export const NAMES = Object.keys(STARTS).filter((name): name is OperationName => name in STARTS);

/** Revisions only grow, however often an operation is repeated. */
const UNCOMPARED = ['revisions'];

/** Time between two tries: the store then looks for dead workers each time, and makes the same statements. */
const PAUSE_MS = 1000;

/** An operation about to be made, on a database that can be told to fail. */
export type Trial = {
  readonly database: FaultyDatabase;
  readonly opened: OpenedStore;
  /** Calls made so far. */
  readonly calls: readonly string[];
  readonly act: () => Promise<unknown>;
  readonly state: () => string;
};

/** Makes trials of one operation, each on a file of its own. */
export async function trialsOf(root: string, name: OperationName): Promise<() => Promise<Trial>> {
  const folder = join(root, name);
  const first = await openIn(folder, START_MS);
  const before = await prepare(first, name);
  await first.close();
  let copies = 0;
  return async () => {
    copies += 1;
    const copy = `${folder}.${copies}`;
    cpSync(folder, copy, { recursive: true });
    let tokens = 0;
    const newToken = (): string => {
      tokens += 1;
      return `token-${tokens}`;
    };
    let passedMs = 0;
    const database = new FaultyDatabase();
    const monotonic = (): number => passedMs;
    const opened = await openIn(copy, first.clock.nowMs, { openDatabase: database.open, newToken, monotonic });
    const pass = (ms: number): void => {
      passedMs += ms;
      opened.clock.pass(ms);
    };
    // What a power cut would leave is not asked here.
    database.raw.pragma('synchronous = OFF');
    const calls = [...before];
    const place = {
      store: opened.store,
      rows: operationRows(),
      onCall: (stepKind: string, key: string) => void calls.push(`${stepKind} ${key}`),
      pass,
    };
    const operation = OPERATIONS[name];
    const held = await operation.before(place);
    const act = (): Promise<unknown> => {
      passedMs += PAUSE_MS;
      return operation.act(place, held);
    };
    return { database, opened, calls, act, state: () => dump(opened.db, UNCOMPARED) };
  };
}
