import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { type Copied, copyStore } from '../../../src/store/copy/copy-store.ts';
import { openSqliteStore } from '../../../src/store/sqlite/open.ts';
import type { OpenedStore } from '../contract.ts';
import { controlContract } from '../contract-control.ts';
import { retryContract } from '../contract-retry.ts';
import { TestSchemas } from '../postgres/open-store.ts';
import { options } from '../sqlite/open-store.ts';
import { side } from './side.ts';

const schemas = new TestSchemas();
afterAll(() => schemas.drop());

/** Whatever state a test of the exam has left a store in, it goes to a server and back, and is the same. */
async function open(clock: () => number): Promise<OpenedStore> {
  const folder = mkdtempSync(join(tmpdir(), 'aieval-copy-'));
  const [from, back] = [join(folder, 'from.db'), join(folder, 'back.db')];
  const stores = [await openSqliteStore(options(from, clock))];
  const another = async () => {
    const other = await openSqliteStore(options(from, clock));
    stores.push(other);
    return other;
  };
  const [store] = stores;
  if (store === undefined) throw new Error('The store is open');
  return {
    store,
    another,
    setMaxRunning: (value) => store.setMaxRunning(value),
    dispose: async () => {
      for (const one of stores) await one.close();
      const server = await schemas.open(clock);
      const there = await copyStore({ from, to: server.location, options: side(clock) });
      expect(differences(there)).toEqual([]);
      expect(differences(await copyStore({ from: server.location, to: back, options: side(clock) }))).toEqual([]);
      expect(checksums(await copyStore({ from, to: back, options: side(clock) }))).toEqual(checksums(there));
      await server.dispose();
      rmSync(folder, { recursive: true });
    },
  };
}

const differences = ({ tables }: Copied) => tables.filter(({ same }) => !same);
const checksums = ({ tables }: Copied) => tables.map(({ table, target }) => [table, target]);

controlContract('copied', open);
retryContract('copied', open);
