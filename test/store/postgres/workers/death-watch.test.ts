import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PostgresOptions } from '../../../../src/store/postgres/options.ts';
import type { SpoolNews } from '../../../../src/store/spool/spool-intake.ts';
import type { Claim } from '../../../../src/store/work.ts';
import { Bench, Clock } from '../../bench.ts';
import { job, settings, worker } from '../../rows.ts';
import { type PostgresBench, TestSchemas } from '../open-store.ts';
import { BreakingProxy } from '../proxy.ts';
import { expectSound } from '../sound.ts';

const HOLDER = fileURLToPath(new URL('./hold.mjs', import.meta.url));
const heartbeatThread = new URL('../../../../dist/store/postgres/workers/heartbeat-thread.js', import.meta.url);
const HOST = 'boot-1';
/** Far longer than any test: nothing here waits for a lease to run out. */
const LEASE = { ttlMs: 600_000, beatMs: 150_000, deadlineMs: 1_800_000 };
const userId = process.geteuid?.() ?? null;

const schemas = new TestSchemas();
afterAll(() => schemas.drop());

describe('a worker that died on this machine', { timeout: 60_000 }, () => {
  let folder: string;
  let opened: PostgresBench;
  let bench: Bench;
  let news: SpoolNews[];
  const children: ChildProcess[] = [];

  const here = (): Partial<PostgresOptions> => ({
    ...{ clock: null, monotonic: () => performance.now(), newToken: randomUUID, hostId: HOST, spoolFolders: [folder], userId },
    onSpool: (one) => void news.push(one),
  });

  beforeEach(async () => {
    folder = join(mkdtempSync(join(tmpdir(), 'aieval-deaths-')), 'spool');
    news = [];
    opened = await schemas.open(Date.now, here());
    bench = new Bench(opened.store, new Clock());
    await bench.plan('r1', [job('j1', 0)], { settings: settings({ lease: LEASE }) });
  });
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    await expectSound(opened.db);
    await opened.dispose();
    rmSync(join(folder, '..'), { recursive: true });
  });

  type At = { readonly location?: string; readonly folder?: string; readonly host?: string };

  /** A process that claims the step of `r1` and sends its call. */
  async function holder(at: At = {}): Promise<ChildProcess> {
    const args = [HOLDER, at.location ?? opened.location, 'r1', 'other', at.folder ?? folder, at.host ?? HOST];
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    children.push(child);
    const [said] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
    expect(String(said)).toBe('held\n');
    return child;
  }

  async function killed(child: ChildProcess): Promise<void> {
    child.kill('SIGKILL');
    await once(child, 'close');
  }

  /** Claims until something is given, or `looks`, a second apart, gave nothing. */
  async function claimed(looks: number): Promise<Claim | null> {
    for (let look = 0; look < looks; look += 1) {
      const reply = await bench.claim('r1');
      if (reply.kind === 'claimed') return reply.claim;
      await pause(1010);
    }
    return null;
  }

  const seen = async () => (await bench.store.workers()).filter(({ workerId }) => workerId === 'other');

  it('is seen to be gone at once, and its work is taken over long before its lease ends, by the rules for a death', async () => {
    const other = await holder();
    expect(await seen()).toMatchObject([{ alive: true, certain: true }]);
    await killed(other);
    expect(await seen()).toMatchObject([{ alive: false, certain: true, running: 1 }]);
    expect((await claimed(10))?.work).toMatchObject({ kind: 'call', attempts: 1 });
    const record = await bench.store.jobRecord('r1', 'j1');
    expect(record?.attempts).toMatchObject([{ outcome: 'lost', failure: { reason: 'worker_lost' } }]);
    expect(record?.calls.map(({ state }) => state).sort()).toEqual(['reserved', 'unknown']);
    expect(await seen()).toEqual([]);
    expect(readdirSync(folder).flatMap((name) => (name.endsWith('.workers') ? readdirSync(join(folder, name)) : []))).not.toContain(
      'other.lock',
    );
  });

  it('is taken over by a process that has no slot to claim for', async () => {
    const busy = await opened.another({ ...here(), heartbeatThread });
    await busy.registerWorker(worker('w9'));
    await killed(await holder());
    while ((await seen()).length > 0) await pause(50);
    expect((await bench.store.jobRecord('r1', 'j1'))?.attempts).toMatchObject([{ outcome: 'lost' }]);
  });

  it('is not one that is frozen: nothing is taken from it', async () => {
    const other = await holder();
    other.kill('SIGSTOP');
    expect(await claimed(3)).toBeNull();
    expect(await seen()).toMatchObject([{ alive: true, certain: true }]);
  });

  it.each<[string, () => At]>([
    ['is of another machine, though its lock is in the same folder', () => ({ host: 'boot-2' })],
    ['has its lock where nobody here looks', () => ({ folder: join(folder, '..', 'elsewhere') })],
  ])('is not known of one that %s: only its lease says when', async (_, at) => {
    await killed(await holder(at()));
    expect(await claimed(3)).toBeNull();
    const [row] = await seen();
    expect(row).toMatchObject({ alive: true, certain: false, takeover: { watchMs: LEASE.ttlMs } });
    expect(row?.takeover?.expiresAtMs).toBeGreaterThan(Date.now() + LEASE.ttlMs / 2);
  });

  it('left a paid answer in its spool: that is taken in first, and nothing is asked again', async () => {
    const url = new URL(opened.location);
    const proxy = new BreakingProxy(url);
    const other = await holder({ location: await proxy.location(url) });
    proxy.become('cut');
    other.stdin?.write('paid\n');
    const spool = join(folder, 'other.spool');
    while (!readFileSync(spool, 'utf8').includes('"paid"')) await pause(50);
    await killed(other);
    expect((await claimed(10))?.work).toMatchObject({ kind: 'judge', completion: { content: 'paid' } });
    const record = await bench.store.jobRecord('r1', 'j1');
    expect(record?.attempts).toMatchObject([{ outcome: 'handed_back' }]);
    expect(record?.calls).toHaveLength(1);
    expect(news).toEqual([{ kind: 'taken', count: 1, path: spool }]);
    expect(existsSync(spool)).toBe(false);
    await proxy.close();
  });

  it('is no one whose lock somebody has removed: it is held anew, and nothing is taken meanwhile', async () => {
    const living = await opened.another({ ...here(), heartbeatThread });
    await living.registerWorker(worker('other'));
    expect((await living.claim({ runId: 'r1', workerId: 'other' })).kind).toBe('claimed');
    const [locks = ''] = readdirSync(folder).filter((name) => name.endsWith('.workers'));
    rmSync(join(folder, locks, 'other.lock'));
    while (!existsSync(join(folder, locks, 'other.lock'))) expect((await bench.claim('r1')).kind).toBe('busy');
    expect(await claimed(2)).toBeNull();
    expect(await seen()).toMatchObject([{ alive: true, certain: true }]);
  });
});
