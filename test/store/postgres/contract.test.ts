import { afterAll } from 'vitest';
import { storeContract } from '../contract.ts';
import { TestSchemas } from './open-store.ts';
import { expectSound } from './sound.ts';

const schemas = new TestSchemas();
afterAll(() => schemas.drop());

storeContract('postgres', async (clock) => {
  const bench = await schemas.open(clock);
  const dispose = async () => {
    // In whatever state the test has left it.
    await expectSound(bench.db);
    await bench.dispose();
  };
  return { ...bench, dispose };
});
