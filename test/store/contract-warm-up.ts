import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Claim } from '../../src/store/work.ts';
import { Bench, Clock, expectTrueTotals } from './bench.ts';
import type { OpenedStore, OpenStore } from './contract.ts';
import { failure, job, lane, settings, step, TTL_MS } from './rows.ts';

/** Where a server keeps prompts in a cache, one call brings a prompt's beginning there before others of the same beginning go. */
export function warmUpContract(name: string, open: OpenStore): void {
  describe(`${name}: warm-up`, () => {
    let opened: OpenedStore;
    let bench: Bench;

    beforeEach(async () => {
      const clock = new Clock();
      opened = await open(clock.read);
      bench = new Bench(opened.store, clock);
    });
    afterEach(async () => {
      await expectTrueTotals(bench.store);
      await opened.dispose();
    });

    const CACHING = { lanes: [lane({ cachesPrompts: true })] };
    const of = (jobId: string, seq: number, prefix: string | null) => job(jobId, seq, { steps: [step(`key of ${jobId}`, { prefix })] });
    const sameBeginning = (count: number) => Array.from({ length: count }, (_, seq) => of(`j${seq}`, seq, 'p'));
    const idOf = ({ job: { jobId } }: Claim) => jobId;
    const warms = ({ work }: Claim) => work.kind === 'call' && work.warms;

    it('the first of a beginning goes alone until its first token; others go on meanwhile', async () => {
      await bench.plan('r1', [of('a0', 0, 'a'), of('a1', 1, 'a'), of('b0', 2, 'b'), of('none', 3, null), of('b1', 4, 'b')], CACHING);
      const leaders = [await bench.claimed('r1'), await bench.claimed('r1')];
      expect(leaders.map(idOf)).toEqual(['a0', 'b0']);
      expect(leaders.map(warms)).toEqual([true, true]);
      expect(leaders.map(({ work }) => work)).toMatchObject([{ prefix: 'a' }, { prefix: 'b' }]);
      const alone = await bench.claimed('r1');
      expect([idOf(alone), warms(alone)]).toEqual(['none', false]);
      expect(await bench.claim('r1')).toEqual({ kind: 'busy', untilMs: bench.clock.nowMs + 1000 });
      const [leader] = leaders;
      if (leader === undefined) throw new Error('nobody leads');
      await bench.store.markSent(leader.token);
      await bench.store.noteFirstToken(leader.token);
      const follower = await (async () => new Bench(await opened.another(), bench.clock).claimed('r1', 'w2'))();
      expect([idOf(follower), warms(follower)]).toEqual(['a1', false]);
      expect((await bench.claim('r1')).kind).toBe('busy');
    });

    it('an answer warms it as well', async () => {
      await bench.plan('r1', sameBeginning(3), CACHING);
      await bench.answer(await bench.claimed('r1'));
      expect(warms(await bench.claimed('r1'))).toBe(false);
      expect(idOf(await bench.claimed('r1'))).toBe('j2');
    });

    it.each([
      ['fails', async (claim: Claim) => bench.fail(claim, failure())],
      ['is given back', async (claim: Claim) => bench.store.settle(claim.token, { kind: 'handed_back' })],
      ['dies', async () => bench.clock.pass(TTL_MS)],
    ] as const)('one that %s is replaced', async (_, end) => {
      await bench.plan('r1', sameBeginning(3), { ...CACHING, settings: settings() });
      const first = await bench.claimed('r1', 'w1');
      expect((await bench.claim('r1', 'w2')).kind).toBe('busy');
      await end(first);
      const next = await bench.claimed('r1', 'w2');
      expect(warms(next)).toBe(true);
      expect((await bench.claim('r1', 'w3')).kind).not.toBe('claimed');
    });

    it('one that fails is replaced while another beginning is waited for', async () => {
      await bench.plan('r1', [of('a0', 0, 'a'), of('a1', 1, 'a'), of('b0', 2, 'b'), of('b1', 3, 'b')], CACHING);
      const [failing] = [await bench.claimed('r1'), await bench.claimed('r1')];
      await bench.fail(failing, failure());
      const next = await bench.claimed('r1');
      expect([idOf(next), warms(next)]).toEqual(['a1', true]);
      expect((await bench.claim('r1')).kind).toBe('blocked');
    });

    it('what was used in the last five minutes is warm, and cold after that', async () => {
      await bench.plan('r1', sameBeginning(6), CACHING);
      await bench.complete(await bench.claimed('r1'));
      bench.clock.pass(4 * 60_000);
      const later = await bench.claimed('r1');
      expect(warms(later)).toBe(false);
      await bench.complete(later);
      bench.clock.pass(4 * 60_000);
      expect(warms(await bench.claimed('r1'))).toBe(false);
      bench.clock.pass(60_000);
      const cold = await bench.claimed('r1', 'w2');
      expect(warms(cold)).toBe(true);
    });

    it('a clock that is set back leaves nothing warm for ever', async () => {
      await bench.plan('r1', sameBeginning(3), CACHING);
      await bench.complete(await bench.claimed('r1'));
      bench.clock.pass(-3_600_000);
      expect(warms(await bench.claimed('r1'))).toBe(true);
    });

    it('a beginning is shared by the runs on a lane', async () => {
      await bench.plan('r1', sameBeginning(1), CACHING);
      await bench.plan('r2', [of('x', 0, 'p')], CACHING);
      const leader = await bench.claimed('r1');
      expect((await bench.claim('r2')).kind).toBe('busy');
      await bench.store.noteFirstToken(leader.token);
      expect(warms(await bench.claimed('r2'))).toBe(false);
    });

    it('a server that keeps no prompts is asked at once, until an answer shows that it does', async () => {
      await bench.plan('r1', [...sameBeginning(3), of('q0', 3, 'q'), of('q1', 4, 'q')]);
      const [first, second] = [await bench.claimed('r1'), await bench.claimed('r1')];
      expect([warms(first), warms(second)]).toEqual([false, false]);
      await bench.answer(first);
      expect(idOf(await bench.claimed('r1'))).toBe('j2');
      const leader = await bench.claimed('r1');
      expect([idOf(leader), warms(leader)]).toEqual(['q0', true]);
      expect((await bench.claim('r1')).kind).toBe('busy');
    });
  });
}
