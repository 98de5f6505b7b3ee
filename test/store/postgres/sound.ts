import type { Client } from 'pg';
import { expect } from 'vitest';
import { INVARIANTS } from '../../../src/store/postgres/schema/invariants.ts';

/** Some tests of the exam plan parts of which they say no more than their kind. */
const NOT_HELD = 'a part or a reduce that asks nothing';

/** Selects as `fact` what does not hold. */
export const BROKEN_NOW = INVARIANTS.filter(({ name }) => name !== NOT_HELD)
  .map(({ name, sql }) => `SELECT '${name}: ' || subject AS fact FROM (${sql}) broken`)
  .join('\nUNION ALL ');

/** Every other fact that must hold of all rows at every moment holds. */
export async function expectSound(db: Client): Promise<void> {
  const { rows } = await db.query<{ fact: string }>(BROKEN_NOW);
  expect(rows.map(({ fact }) => fact)).toEqual([]);
}
