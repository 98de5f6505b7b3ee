import { afterAll } from 'vitest';
import { storeContract } from '../contract.ts';
import { TestSchema } from './open-store.ts';

const schema = new TestSchema();
afterAll(() => schema.drop());

storeContract('postgres', (clock) => schema.open(clock));
