import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openPostgresStore } from '../../../../src/store/postgres/open.ts';
import type { PostgresOptions } from '../../../../src/store/postgres/options.ts';
import type { SpoolNews } from '../../../../src/store/spool/spool-intake.ts';
import type { Store } from '../../../../src/store/store.ts';
import type { Claim } from '../../../../src/store/work.ts';
import { Bench, Clock, finishOf } from '../../bench.ts';
import { completion, jobOfKey, worker } from '../../rows.ts';
import { options, type PostgresBench, TestSchemas } from '../open-store.ts';
import { BreakingProxy } from '../proxy.ts';
import { expectSound } from '../sound.ts';

const schemas = new TestSchemas();
afterAll(() => schemas.drop());

const userId = process.geteuid?.() ?? null;
const LEASE_MS = 60_000;

describe('a paid answer that the server does not take', () => {
  const clock = new Clock();
  let folder: string;
  let shared: string;
  let opened: PostgresBench;
  let proxy: BreakingProxy;
  let through: string;
  let bench: Bench;
  let news: SpoolNews[];
  const stores: Store[] = [];

  const onSpool = (one: SpoolNews): void => void news.push(one);
  const patience = (patienceMs: number) => ({ patienceMs, onServer: () => undefined });

  /** A process of this machine. */
  async function open(location: string, changes: Partial<PostgresOptions> = {}): Promise<Bench> {
    const store = await openPostgresStore({ ...options(location, clock.read), spoolFolders: [shared], userId, onSpool, ...changes });
    stores.push(store);
    return new Bench(store, clock);
  }

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'aieval-spool-'));
    shared = join(folder, 'state', 'aieval', 'spool');
    news = [];
    opened = await schemas.open(clock.read);
    const url = new URL(opened.location);
    proxy = new BreakingProxy(url);
    through = await proxy.location(url);
    bench = await open(through, { patience: patience(300) });
    await bench.plan('r1', [jobOfKey('j1', 0, 'k1'), jobOfKey('j2', 1, 'k2')]);
  });
  afterEach(async () => {
    proxy.become('open');
    for (const store of stores.splice(0)) await store.close();
    await proxy.close();
    await expectSound(opened.db);
    await opened.dispose();
    rmSync(folder, { recursive: true });
  });

  const spoolOf = (workerId: string): string => join(shared, `${workerId}.spool`);
  const record = (claim: Claim, content = 'paid'): Promise<void> => bench.store.recordResponse(claim.token, completion(content));

  async function sent(): Promise<Claim> {
    const claim = await bench.claimed('r1');
    await bench.store.markSent(claim.token);
    return claim;
  }

  /** What the caller is told after the server was away for longer than anybody wanted to wait. */
  async function kept(claim: Claim): Promise<{ code: string; exitCode: number; message: string }> {
    proxy.become('cut');
    const error: unknown = await record(claim).then(
      () => null,
      (cause: unknown) => cause,
    );
    expect(error).toMatchObject({ name: 'UserError' });
    return Object(error);
  }

  /** The process ends while the server is away. */
  async function end(): Promise<void> {
    await bench.store.close();
    stores.splice(stores.indexOf(bench.store), 1);
  }

  it.each(['cut', 'stalled'] as const)(
    'is kept on the disk of its machine while the way is %s, given to the server when that is back, and then leaves no trace',
    {
      timeout: 90_000,
    },
    async (way) => {
      bench = await open(through, { patience: patience(600_000) });
      await bench.store.registerWorker(worker('w9'));
      const claim = await bench.claimed('r1', 'w9');
      await bench.store.markSent(claim.token);
      proxy.become(way);
      const recorded = record(claim);
      while (!['w1', 'w2', 'w3', 'w9'].some((id) => readFileSync(spoolOf(id), 'utf8').includes('"paid"'))) await pause(50);
      proxy.become('open');
      await recorded;
      await bench.store.removeWorker('w9');
      expect(existsSync(spoolOf('w9'))).toBe(false);
      expect(news).toEqual([]);
      expect((await opened.store.response(claim.token))?.content).toBe('paid');
    },
  );

  it('is kept for this user alone, and the error tells where', async () => {
    const claim = await sent();
    const { code, exitCode, message } = await kept(claim);
    expect({ code, exitCode }).toEqual({ code: 'E40', exitCode: 8 });
    expect(message).toMatch(/does not answer \(.+\); everything settled so far is safe\./);
    expect(message).toContain(`Its paid answer is safe: ${spoolOf('w1')} keeps it`);
    expect([statSync(shared).mode & 0o777, statSync(spoolOf('w1')).mode & 0o777]).toEqual([0o700, 0o600]);
  });

  it('is taken in by whoever opens the store next, by whatever name and port, and judged without a second call', async () => {
    const claim = await sent();
    await kept(claim);
    await end();
    expect(news).toEqual([{ kind: 'kept', count: 1, path: spoolOf('w1') }]);
    news = [];
    const next = await open(opened.location);
    expect(news).toEqual([{ kind: 'taken', count: 1, path: spoolOf('w1') }]);
    expect(readdirSync(shared).filter((name) => name.endsWith('.spool'))).toEqual([]);
    const judge = await next.claimed('r1', 'w2');
    expect(judge.work).toMatchObject({ kind: 'judge', callToken: claim.token, completion: completion('paid') });
    await next.finish(finishOf(await next.accept(judge, { findings: [] }, claim.token)));
    expect(await next.row('r1', 'j1')).toMatchObject({ state: 'succeeded', calls: 1, attempts: 1 });
  });

  it('is left to a process that lives, however long the server has heard nothing of it', async () => {
    const claim = await sent();
    await kept(claim);
    await opened.db.query('UPDATE workers SET beat_at_ms = 0');
    await open(opened.location);
    expect(news).toEqual([]);
    expect(existsSync(spoolOf('w1'))).toBe(true);
  });

  it('is taken in once, beside the answer of another worker that asked the same meanwhile', async () => {
    const claim = await sent();
    await kept(claim);
    await end();
    // On another machine.
    const other = await open(opened.location, { spoolFolders: [join(folder, 'other')] });
    await other.claim('r1', 'w2');
    clock.pass(LEASE_MS + 1);
    const again = await claimOf(other, 'j1');
    expect(again.work.kind).toBe('call');
    await other.complete(again);
    news = [];
    await open(opened.location);
    await open(opened.location);
    expect(news).toEqual([{ kind: 'taken', count: 1, path: spoolOf('w1') }]);
    const calls = (await opened.store.jobRecord('r1', 'j1'))?.calls.map(({ callToken, state }) => `${callToken} ${state}`);
    expect(calls).toEqual([`${claim.token} settled`, `${again.token} settled`]);
    expect(await other.row('r1', 'j1')).toMatchObject({ state: 'succeeded', calls: 2 });
  });

  /** Leases are taken once they were seen unrenewed for as long as they last. */
  async function claimOf(other: Bench, jobId: string): Promise<Claim> {
    for (;;) {
      const reply = await other.claim('r1', 'w3');
      if (reply.kind === 'claimed' && reply.claim.job.jobId === jobId) return reply.claim;
      if (reply.kind !== 'claimed') clock.pass(LEASE_MS + 1);
    }
  }

  it('is taken in by a copy of the database as well, and stays for the one that it is of', async () => {
    const claim = await sent();
    await kept(claim);
    await end();
    const text = readFileSync(spoolOf('w1'), 'utf8');
    writeFileSync(spoolOf('w1'), text.replace(/"database":"[^"]+"/, '"database":"7000000000000000000/spec/aieval"'));
    news = [];
    await open(opened.location);
    await open(opened.location);
    expect(news).toEqual([{ kind: 'taken', count: 1, path: spoolOf('w1') }]);
    expect(existsSync(spoolOf('w1'))).toBe(true);
  });

  it('of another store is left alone', async () => {
    const claim = await sent();
    await kept(claim);
    await end();
    const text = readFileSync(spoolOf('w1'), 'utf8');
    writeFileSync(spoolOf('w1'), text.replace(/"storeId":"[^"]+"/, '"storeId":"0123456789abcdef0123456789abcdef"'));
    news = [];
    await open(opened.location);
    expect(news).toEqual([]);
  });

  it('needs a place before anything is paid: without one no worker is there', async () => {
    writeFileSync(join(folder, 'file'), '');
    const store = (await open(opened.location, { spoolFolders: [join(folder, 'file', 'spool')] })).store;
    await expect(store.registerWorker(worker('w9'))).rejects.toMatchObject({
      code: 'E22',
      exitCode: 8,
      message: `no place has room for paid answers that the database could not take: ${join(folder, 'file', 'spool')} (ENOTDIR).`,
      next: ['name a folder that you may write in XDG_STATE_HOME'],
    });
    expect((await store.workers()).map(({ workerId }) => workerId)).not.toContain('w9');
  });

  it('is told of by a look at the store while it waits', async () => {
    const claim = await sent();
    await kept(claim);
    await end();
    const { inspectPostgres } = await import('../../../../src/store/postgres/inspect/inspect.ts');
    const found = await inspectPostgres({ location: opened.location, clock: null, spoolFolders: [shared], userId });
    expect(found.filter(({ check }) => check === 'spool')).toMatchObject([
      { status: 'warning', message: `${spoolOf('w1')} may hold paid answers that are not in the database yet` },
    ]);
  });
});
