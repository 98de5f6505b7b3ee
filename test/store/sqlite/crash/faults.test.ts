import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Bench } from '../../bench.ts';
import { drain } from './drain.ts';
import type { Fault } from './faulty-database.ts';
import { expectLedgerCovers, expectSound, storedAnswers } from './invariants.ts';
import { openIn } from './open-file.ts';
import { plan } from './operation-rows.ts';
import type { OperationName } from './operations.mjs';
import { NAMES, type Trial, trialsOf } from './trials.ts';

const LIMIT_MS = 120_000;

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'aieval-faults-'));
});
afterEach(() => rmSync(root, { recursive: true }));

/** What an undisturbed operation does: its statements, and the state at its beginning and after each commit. */
async function undisturbed(trial: Trial): Promise<{ statements: readonly string[]; states: readonly string[]; reply: unknown }> {
  const states = [trial.state()];
  trial.database.watch(
    () => null,
    (text) => void (text === 'COMMIT' && states.push(trial.state())),
  );
  const reply = await trial.act();
  trial.database.heal();
  await trial.opened.close();
  return { statements: [...trial.database.statements], states, reply };
}

/** The errors of a lock held elsewhere, and which statements can meet them: whoever only reads has the snapshot that it reads. */
const BUSY = { SQLITE_BUSY: /^/, SQLITE_BUSY_SNAPSHOT: /^(?!\s*SELECT)/, SQLITE_PROTOCOL: /^BEGIN/ };

const at = (number: number, fault: Fault) => (_: string, index: number) => (index === number ? fault : null);

describe('a lock held elsewhere, at any statement, is waited for and never told:', () => {
  it.each(NAMES)('%s', { timeout: LIMIT_MS }, async (name) => {
    const trial = await trialsOf(root, name);
    const { statements, states, reply } = await undisturbed(await trial());
    for (const [code, happensAt] of Object.entries(BUSY)) {
      for (const [number, text] of statements.entries()) {
        if (!happensAt.test(text)) continue;
        const disturbed = await trial();
        disturbed.database.watch(at(number, { code, after: 'nothing' }));
        const where = `${code} at ${number}: ${text}`;
        expect(withoutTokens(await disturbed.act()), where).toEqual(withoutTokens(reply));
        expect(disturbed.state(), where).toBe(states.at(-1));
        await disturbed.opened.close();
      }
    }
  });
});

/** Each try takes tokens of its own. */
function withoutTokens(reply: unknown): unknown {
  return JSON.parse((JSON.stringify(reply) ?? 'null').replace(/token-\d+/g, 'token'));
}

const STORAGE: readonly Fault[] = [
  { code: 'SQLITE_FULL', after: 'nothing' },
  { code: 'SQLITE_FULL', after: 'rolled back' },
  { code: 'SQLITE_IOERR_WRITE', after: 'nothing' },
  { code: 'SQLITE_IOERR_FSYNC', after: 'rolled back' },
  { code: 'SQLITE_CORRUPT', after: 'nothing' },
];

/** The error that a broken disk ends in. */
async function expectRefusal(trial: Trial, name: OperationName, fault: Fault, where: string): Promise<void> {
  const error: unknown = await trial.act().catch((cause: unknown) => cause);
  expect(error, where).toMatchObject({ name: 'UserError', exitCode: 8, next: expect.arrayContaining([expect.any(String)]) });
  expect(trial.database.raw.inTransaction, where).toBe(false);
  // A paid answer that cannot be stored has more to tell than that.
  if (!(error instanceof Error) || name === 'record') return;
  expect(error.message, where).toContain(trial.opened.path);
  expect(error.message, where).toContain(fault.code === 'SQLITE_FULL' ? 'disk full' : fault.code);
}

describe('a full, failing or corrupt disk, at any statement, is told with exit 8, leaves no half of it, and the same can be done again:', () => {
  it.each(NAMES)('%s', { timeout: LIMIT_MS }, async (name) => {
    const next = await trialsOf(root, name);
    const { statements, states } = await undisturbed(await next());
    let trial = await next();
    for (const fault of STORAGE) {
      for (const [number, text] of statements.entries()) {
        const where = `${fault.code} (${fault.after}) at ${number}: ${text}`;
        trial.database.watch(at(number, fault));
        await expectRefusal(trial, name, fault, where);
        trial.database.heal();
        expect(states.slice(0, -1), where).toContain(trial.state());
        if (trial.state() === states[0]) continue;
        // What was committed before it stays; the rest follows.
        await trial.act();
        expect(trial.state(), where).toBe(states.at(-1));
        await trial.opened.close();
        trial = await next();
      }
    }
    await trial.act();
    expect(trial.state()).toBe(states.at(-1));
    await trial.opened.close();
  });
});

describe('a commit that reports an error and yet is done loses nothing and doubles nothing after a restart:', () => {
  it.each(NAMES)('%s', { timeout: LIMIT_MS }, async (name) => {
    const next = await trialsOf(root, name);
    const { statements, states } = await undisturbed(await next());
    for (const [number, text] of statements.entries()) {
      if (text !== 'COMMIT') continue;
      const trial = await next();
      const fault: Fault = { code: 'SQLITE_IOERR_FSYNC', after: 'executed' };
      trial.database.watch(at(number, fault));
      await expectRefusal(trial, name, fault, `at ${number}`);
      trial.database.heal();
      expect(states).toContain(trial.state());
      await trial.opened.close();
      await expectDrained(trial, name);
    }
  });
});

/** Another process does the rest: no job is lost, and no question asked whose answer is stored. */
async function expectDrained({ opened: { path, clock }, calls }: Trial, name: OperationName): Promise<void> {
  const { store, db, close, clock: later } = await openIn(dirname(path), clock.nowMs);
  const bench = new Bench(store, later);
  const stored = storedAnswers(db);
  if (name === 'plan') await plan(bench);
  const drained = await drain(bench);
  const { total, queued, running } = (await store.runTotals('r1')).jobs;
  expect({ total, queued, running }).toEqual({ total: 4, queued: 0, running: 0 });
  expect(drained.calls.filter((call) => stored.includes(call))).toEqual([]);
  await expectSound(db, bench, ['r1']);
  expectLedgerCovers(db, [...calls, ...drained.calls]);
  await close();
}
