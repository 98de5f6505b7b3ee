import { afterEach, describe, expect, it } from 'vitest';
import { Bench, Clock } from '../../bench.ts';
import { job, worker } from '../../rows.ts';
import { openTempStore, type SqliteBench } from '../open-store.ts';

const HOUR_MS = 3_600_000;

describe('a database that another machine worked on', () => {
  let opened: SqliteBench;
  let clock: Clock;
  afterEach(() => opened.dispose());

  /** A step in flight at `boot-1`, whose worker is there or not. */
  async function inFlight(): Promise<Bench> {
    clock = new Clock();
    opened = await openTempStore(clock.read);
    const bench = new Bench(opened.store, clock);
    await bench.plan('r1', [job('j1', 0)]);
    await bench.claimed('r1', 'w1');
    return bench;
  }

  /** This machine, whose own clock passes ten seconds between two looks; `onForeignHost` hears that it waits. */
  async function elsewhere(onForeignHost: () => void = () => undefined): Promise<Bench> {
    let monotonicMs = 0;
    const monotonic = () => {
      monotonicMs += 10_000;
      return monotonicMs;
    };
    return new Bench(await opened.another({ hostId: 'boot-2', monotonic, onForeignHost }), clock);
  }

  const own = { ...worker('w9'), hostId: 'boot-2', hostname: 'desktop' };
  const beatOf = (workerId: string) =>
    opened.db.prepare('UPDATE workers SET beat_at_ms = beat_at_ms + 1 WHERE worker_id = ?').run(workerId);

  it('is refused while the other one beats: exit 8, and it is named', async () => {
    await inFlight();
    const bench = await elsewhere(() => beatOf('w1'));
    await expect(bench.store.registerWorker(own)).rejects.toMatchObject({
      exitCode: 8,
      message: expect.stringMatching(/worked on by another machine \(laptop, pid 4711\)/),
    });
    expect((await bench.store.workers()).map(({ workerId }) => workerId)).not.toContain('w9');
  });

  it('is taken over when no beat comes, and with it the steps in flight, before their leases end', async () => {
    await inFlight();
    let waits = 0;
    const bench = await elsewhere(() => {
      waits += 1;
    });
    await bench.store.registerWorker(own);
    expect(waits).toBe(1);
    expect((await bench.claim('r1', 'w9')).kind).toBe('claimed');
    expect((await bench.store.workers()).map(({ workerId }) => workerId)).not.toContain('w1');
  });

  it('opens at once when its last beat is old, as in a cache that CI restores on another machine', async () => {
    await inFlight();
    clock.pass(HOUR_MS);
    const bench = await elsewhere(() => {
      throw new Error('nobody has to wait');
    });
    await bench.store.registerWorker(own);
    expect((await bench.claim('r1', 'w9')).kind).toBe('claimed');
  });

  it('is left alone by a worker that finds a second machine at work later', async () => {
    const bench = await inFlight();
    opened.db
      .prepare(
        `INSERT INTO workers (worker_id, host_id, hostname, pid, version, started_at_ms, beat_at_ms) VALUES ('far', 'boot-3', 'far', 7, '1', ?, ?)`,
      )
      .run(clock.nowMs, clock.nowMs);
    const claims = async () => {
      for (;;) {
        await bench.claim('r1', 'w2');
        beatOf('far');
        clock.pass(1000);
      }
    };
    await expect(claims()).rejects.toMatchObject({ exitCode: 8 });
  });
});
