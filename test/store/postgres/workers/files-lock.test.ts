import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FilesLock, Store } from '../../../../src/store/store.ts';
import { Bench, Clock } from '../../bench.ts';
import { type PostgresBench, TestSchemas } from '../open-store.ts';

const schemas = new TestSchemas();
afterAll(() => schemas.drop());

let clock: Clock;
let opened: PostgresBench;
let other: Store;
beforeEach(async () => {
  clock = new Clock();
  opened = await schemas.open(clock.read);
  await new Bench(opened.store, clock).plan('r1', []);
  other = await opened.another();
});
afterEach(() => opened.dispose());

async function taken(store: Store): Promise<FilesLock> {
  const lock = await store.lockFiles('r1');
  if (lock === null) throw new Error('Another one holds it');
  return lock;
}

describe('the right to write the files of a run on PostgreSQL', () => {
  it('is one process’s at a time, and the next one’s when it is given back', async () => {
    const lock = await taken(opened.store);
    expect(await other.lockFiles('r1')).toBeNull();
    expect(await opened.store.lockFiles('r1')).toBeNull();
    expect(await other.lockFiles('r2')).not.toBeNull();
    await lock.release();
    expect(await other.lockFiles('r1')).not.toBeNull();
  });

  it('is one’s alone when many want it at once', async () => {
    const locks = await Promise.all([opened.store, other, opened.store, other].map((store) => store.lockFiles('r1')));
    expect(locks.filter((lock) => lock !== null)).toHaveLength(1);
  });

  it('of a process that says nothing any more ends before a minute is over', async () => {
    await taken(opened.store);
    clock.pass(14_000);
    expect(await other.lockFiles('r1')).toBeNull();
    clock.pass(1000);
    expect(await other.lockFiles('r1')).not.toBeNull();
  });

  it('that has passed to another one is not given back by the first', async () => {
    const lock = await taken(opened.store);
    clock.pass(60_000);
    await taken(other);
    await lock.release();
    expect(await opened.store.lockFiles('r1')).toBeNull();
  });

  it('does not outlast a clock that was set back', async () => {
    await taken(opened.store);
    clock.pass(-3_600_000);
    expect(await other.lockFiles('r1')).not.toBeNull();
  });
});
