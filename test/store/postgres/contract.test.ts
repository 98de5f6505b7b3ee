import { afterAll } from 'vitest';
import { storeContract } from '../contract.ts';
import { TestSchemas } from './open-store.ts';

const schemas = new TestSchemas();
afterAll(() => schemas.drop());

storeContract('postgres', (clock) => schemas.open(clock));
