import { describe, expect, it } from 'vitest';
import { LeaseWatch } from '../../src/store/lease-watch.ts';

const LEASE = { token: 't1', expiresAtMs: 1000 };

describe('the watch over leases', () => {
  let nowMs = 0;
  const watchAt = (ms: number): LeaseWatch => {
    nowMs = ms;
    return new LeaseWatch(() => nowMs);
  };

  it('counts from when it first saw a lease as it is, over any number of looks', () => {
    const watch = watchAt(100);
    expect(watch.unchangedMs(LEASE)).toBe(0);
    for (const at of [100, 200, 900]) {
      nowMs = at;
      watch.note([LEASE]);
    }
    expect(watch.unchangedMs(LEASE)).toBe(800);
  });

  it('starts anew with each renewal, whichever way the time of expiry moved', () => {
    const watch = watchAt(0);
    watch.note([LEASE]);
    nowMs = 500;
    watch.note([{ ...LEASE, expiresAtMs: 900 }]);
    nowMs = 700;
    expect(watch.unchangedMs({ ...LEASE, expiresAtMs: 900 })).toBe(200);
    expect(watch.unchangedMs(LEASE)).toBe(0);
  });

  it('forgets what has ended', () => {
    const watch = watchAt(0);
    watch.saw(LEASE);
    watch.note([]);
    nowMs = 50;
    watch.note([LEASE]);
    expect(watch.unchangedMs(LEASE)).toBe(0);
  });

  it('has seen nothing while its own process stood still', () => {
    const watch = watchAt(0);
    watch.tick();
    watch.note([LEASE]);
    nowMs = 4000;
    watch.tick();
    expect(watch.unchangedMs(LEASE)).toBe(4000);
    nowMs = 60_000;
    watch.note([LEASE]);
    expect(watch.unchangedMs(LEASE)).toBe(0);
    nowMs = 61_000;
    watch.tick();
    expect(watch.unchangedMs(LEASE)).toBe(1000);
  });

  it('counts no time in which its own beat could not be written: then nobody could renew', () => {
    const watch = watchAt(0);
    const beat = (beatAtMs: number) => watch.noteOwnBeats([{ workerId: 'own', beatAtMs, beatMs: 1000 }]);
    for (const at of [0, 1000, 1500]) {
      nowMs = at;
      beat(0);
      watch.note([LEASE]);
    }
    expect(watch.unchangedMs(LEASE)).toBe(1500);
    nowMs = 9000;
    beat(0);
    watch.note([LEASE]);
    expect(watch.unchangedMs(LEASE)).toBe(0);
    nowMs = 9500;
    watch.note([LEASE]);
    expect(watch.unchangedMs(LEASE)).toBe(0);
    beat(9400);
    watch.note([LEASE]);
    nowMs = 10_000;
    expect(watch.unchangedMs(LEASE)).toBe(500);
  });

  it('counts no time in which the store could not be asked, whoever else it answered', () => {
    const watch = watchAt(0);
    watch.note([LEASE]);
    nowMs = 1000;
    watch.note([LEASE]);
    nowMs = 3000;
    watch.missed();
    nowMs = 4500;
    watch.missed();
    nowMs = 4900;
    watch.note([LEASE]);
    expect(watch.unchangedMs(LEASE)).toBe(1000);
    nowMs = 5900;
    watch.note([LEASE]);
    expect(watch.unchangedMs(LEASE)).toBe(2000);
  });
});

describe('a lease that others have watched before', () => {
  let nowMs = 0;

  it('is watched on from there, also by who saw it already', () => {
    const watch = new LeaseWatch(() => nowMs);
    watch.note([{ ...LEASE, watchedMs: 4000 }]);
    nowMs = 500;
    expect(watch.unchangedMs(LEASE)).toBe(4500);
    // Another process watches at the same time, since earlier.
    watch.note([{ ...LEASE, watchedMs: 7000 }]);
    expect(watch.unchangedMs(LEASE)).toBe(7000);
    // What is kept lags behind what was seen.
    watch.note([{ ...LEASE, watchedMs: 2000 }]);
    nowMs = 1000;
    expect(watch.unchangedMs(LEASE)).toBe(7500);
  });

  it('starts anew when it is renewed', () => {
    const watch = new LeaseWatch(() => nowMs);
    watch.note([{ ...LEASE, watchedMs: 4000 }]);
    expect(watch.unchangedMs({ ...LEASE, expiresAtMs: LEASE.expiresAtMs + 1 })).toBe(0);
  });

  it('goes on after a sleep from what was kept, for none of the time that was slept', () => {
    nowMs = 0;
    const watch = new LeaseWatch(() => nowMs);
    watch.tick();
    watch.note([{ ...LEASE, watchedMs: 4000 }]);
    nowMs = 60_000;
    watch.note([{ ...LEASE, watchedMs: 4000 }]);
    expect(watch.unchangedMs(LEASE)).toBe(4000);
  });
});
