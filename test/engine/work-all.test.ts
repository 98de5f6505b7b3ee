import { describe, expect, test } from 'vitest';
import type { RunState } from '../../src/domain/run.ts';
import { type AllRuns, type ReadyRun, RunRotation } from '../../src/engine/work-all.ts';
import type { RunRow } from '../../src/store/rows.ts';
import type { Claim, ClaimReply } from '../../src/store/work.ts';
import { STARTED_MS, sampleRun } from '../cli/sample-run.ts';

const JOB = { documentId: 'a.md', textSha256: 't', task: 'x', model: 'm', repeat: 0, jobId: 'j' };
const PAUSED_LANE: ClaimReply = {
  kind: 'blocked',
  blockedBy: [{ why: 'lane_paused', laneId: 'l', count: 3, untilMs: null, message: 'bad key' }],
  untilMs: null,
};
const BUSY: ClaimReply = { kind: 'busy', untilMs: null };
const DRAINED: ClaimReply = { kind: 'drained' };

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Some runs, each with the replies that it will give; a claim's token is the run's id. */
class World {
  nowMs = STARTED_MS;
  readonly runs = new Map<string, { state: RunState; replies: (ClaimReply | 'claim')[]; open: () => Promise<ReadyRun | null> }>();
  readonly asked: string[] = [];
  readonly ended: string[] = [];
  readonly handled: string[] = [];
  rotation: RunRotation;

  constructor(change: Partial<AllRuns> = {}) {
    this.rotation = new RunRotation({
      store: {
        allRuns: async () => [...this.runs].map(([runId, { state }]) => this.row(runId, state)).reverse(),
        claim: async ({ runId }) => this.reply(runId),
        finishRun: async (runId) => this.finish(runId),
      },
      workerId: 'w',
      tags: [],
      now: () => this.nowMs,
      exitWhenIdle: false,
      open: async ({ runId }) => {
        await turn();
        return (await this.runs.get(runId)?.open()) ?? null;
      },
      onUnreadable: () => undefined,
      onEnd: async (run, end) => void this.ended.push(`${run.runId} ${end.kind}`),
      ...change,
    });
  }

  add(runId: string, replies: (ClaimReply | 'claim')[], open?: () => Promise<ReadyRun | null>): void {
    const ready = { concurrency: 2, handle: async ({ runId }: Claim) => void this.handled.push(runId) };
    this.runs.set(runId, { state: 'open', replies, open: open ?? (async () => ready) });
  }

  row(runId: string, state: RunState): RunRow {
    return sampleRun({ runId, state });
  }

  reply(runId: string): ClaimReply {
    this.asked.push(runId);
    const replies = this.runs.get(runId)?.replies ?? [];
    const reply = replies.length > 1 ? replies.shift() : replies[0];
    if (reply === undefined) throw new Error(`no reply of ${runId}`);
    const work = { kind: 'finish', answers: [] } as const;
    const claim: Claim = { token: runId, runId, stepId: 1, job: JOB, claimedAtMs: 0, deadlineAtMs: 1, work };
    return reply === 'claim' ? { kind: 'claimed', claim } : reply;
  }

  finish(runId: string): boolean {
    const run = this.runs.get(runId);
    if (run === undefined || run.state !== 'open') return false;
    run.state = 'finished';
    return true;
  }

  /** Asks, after a moment in which what is being opened is opened. */
  async ask(): Promise<ClaimReply> {
    await turn();
    await turn();
    return this.rotation.claim();
  }

  async claim(): Promise<string> {
    const reply = await this.ask();
    return reply.kind === 'claimed' ? reply.claim.runId : reply.kind;
  }

  async claimed(): Promise<Claim> {
    const reply = await this.ask();
    if (reply.kind !== 'claimed') throw new Error(`expected a claim, got ${reply.kind}`);
    return reply.claim;
  }
}

describe('a worker of all runs', () => {
  test('takes the oldest run first, and the next one when that has nothing to start', async () => {
    const world = new World();
    world.add('old', ['claim', BUSY]);
    world.add('new', ['claim', BUSY]);
    expect(await world.claim()).toBe('busy');
    expect([await world.claim(), await world.claim(), await world.claim()]).toEqual(['old', 'new', 'busy']);
  });

  test('a run that is blocked or being opened keeps it from no other', async () => {
    const world = new World({ exitWhenIdle: true });
    world.add('slow server', ['claim'], () => new Promise(() => undefined));
    world.add('no key', ['claim'], async () => null);
    world.add('blocked', [PAUSED_LANE]);
    world.add('good', ['claim', BUSY]);
    await world.claim();
    expect([await world.claim(), await world.claim()]).toEqual(['good', 'busy']);
  });

  test('never takes more claims than the run allows, counted over all runs', async () => {
    const world = new World();
    const one = async () => ({ concurrency: 1, handle: async () => undefined });
    world.add('narrow', ['claim'], one);
    world.add('wide', ['claim']);
    await world.claim();
    const first = await world.claimed();
    expect(first.runId).toBe('narrow');
    expect([await world.claim(), await world.claim()]).toEqual(['wide', 'busy']);
    const asked = world.asked.length;
    expect(await world.claim()).toBe('busy');
    expect(world.asked).toHaveLength(asked);
    await world.rotation.handle(first);
    expect(await world.claim()).toBe('wide');
  });

  test('a run that has nothing to start is not asked again before a second has passed, or something ended here', async () => {
    const world = new World();
    world.add('r', ['claim', BUSY]);
    await world.claim();
    const claim = await world.claimed();
    await world.claim();
    await world.claim();
    expect(world.asked).toHaveLength(2);
    await world.rotation.handle(claim);
    await world.claim();
    expect(world.asked).toHaveLength(3);
    world.nowMs += 1000;
    await world.claim();
    expect(world.asked).toHaveLength(4);
    // A clock that was set back must not make it wait for the difference.
    world.nowMs -= 3_600_000;
    await world.claim();
    expect(world.asked).toHaveLength(5);
  });

  test('looks at all runs and for new ones at once when others may have brought work', async () => {
    const world = new World();
    world.add('old', [BUSY, 'claim', BUSY]);
    await world.claim();
    expect(await world.claim()).toBe('busy');
    world.add('new', ['claim', BUSY]);
    world.rotation.lookAgain();
    expect([await world.claim(), await world.claim(), await world.claim()]).toEqual(['old', 'new', 'busy']);
  });

  test('a run ends here when it is drained and its claims are done; one that others finished without us is not told', async () => {
    const world = new World();
    world.add('ours', ['claim', DRAINED]);
    world.add('theirs', [{ kind: 'stopped', state: 'finished' }]);
    await world.claim();
    const claim = await world.claimed();
    await world.claim();
    expect(world.ended).toEqual([]);
    await world.rotation.handle(claim);
    expect(await world.claim()).toBe('busy');
    expect(world.ended).toEqual(['ours drained']);
    expect(world.rotation.left).toEqual([]);
  });

  test('a run that is paused under it is over for it, and taken up again when it is resumed', async () => {
    const world = new World();
    world.add('r', ['claim', { kind: 'stopped', state: 'paused' }, 'claim', BUSY]);
    await world.claim();
    await world.rotation.handle(await world.claimed());
    const run = world.runs.get('r');
    if (run !== undefined) run.state = 'paused';
    await world.claim();
    expect(world.ended).toEqual(['r stopped']);
    world.nowMs += 1000;
    expect(await world.claim()).toBe('busy');
    if (run !== undefined) run.state = 'open';
    world.nowMs += 1000;
    expect([await world.claim(), await world.claim()]).toEqual(['busy', 'r']);
  });

  test('the end of a run is dealt with beside the claims of the others, and waited for at the very end', async () => {
    let write = (): void => undefined;
    const written = new Promise<void>((resolve) => {
      write = resolve;
    });
    const world = new World({ exitWhenIdle: true, onEnd: () => written });
    world.add('ends', ['claim', DRAINED]);
    world.add('goes on', ['claim', 'claim', DRAINED]);
    await world.claim();
    await world.rotation.handle(await world.claimed());
    expect(await world.claim()).toBe('goes on');
    let over = false;
    const ended = world.rotation.ended().then(() => {
      over = true;
    });
    await turn();
    expect(over).toBe(false);
    write();
    await ended;
  });

  test('an error at the end of a run ends it', async () => {
    const world = new World({ onEnd: () => Promise.reject(new Error('a bug')) });
    world.add('r', ['claim', DRAINED]);
    await world.claim();
    await world.rotation.handle(await world.claimed());
    await world.claim();
    await expect(world.rotation.ended()).rejects.toThrow('a bug');
    await expect(world.claim()).rejects.toThrow('a bug');
  });

  test('when idle it leaves only if so wished, and never while another process may still hand work over', async () => {
    const staying = new World();
    expect(await staying.claim()).toBe('busy');
    const leaving = new World({ exitWhenIdle: true });
    expect(await leaving.claim()).toBe('drained');
    const busy = new World({ exitWhenIdle: true });
    busy.add('elsewhere', [BUSY]);
    await busy.claim();
    expect(await busy.claim()).toBe('busy');
    const blocked = new World({ exitWhenIdle: true });
    blocked.add('blocked', [PAUSED_LANE]);
    await blocked.claim();
    expect(await blocked.claim()).toBe('drained');
    expect(blocked.rotation.blocked).toMatchObject([{ run: { runId: 'blocked' } }]);
  });

  test('a run whose plan broke off keeps nobody who leaves when idle, and is taken up again when the rest comes', async () => {
    for (const exitWhenIdle of [false, true]) {
      const world = new World({ exitWhenIdle });
      world.add('half', ['claim', { kind: 'unplanned' }]);
      await world.claim();
      await world.rotation.handle(await world.claimed());
      expect(await world.claim()).toBe(exitWhenIdle ? 'drained' : 'busy');
      expect(world.rotation.unplanned).toMatchObject([{ runId: 'half' }]);
      expect(world.rotation.left).toMatchObject([{ run: { runId: 'half' }, end: { kind: 'unplanned' } }]);
      world.runs.get('half')?.replies.splice(0, 1, 'claim');
      world.nowMs += 1000;
      expect(await world.claim()).toBe('half');
      expect(world.rotation.unplanned).toEqual([]);
    }
  });

  test('a run that waits for days keeps no other one, and nobody who stays for it', async () => {
    const untilMs = STARTED_MS + 2 * 86_400_000;
    const later: ClaimReply = {
      kind: 'blocked',
      blockedBy: [{ why: 'lane_paused', laneId: 'l', count: 3, untilMs, message: 'slow down' }],
      untilMs,
    };
    for (const exitWhenIdle of [false, true]) {
      const world = new World({ exitWhenIdle });
      world.add('later', [later]);
      world.add('other', ['claim', DRAINED]);
      await world.claim();
      await world.rotation.handle(await world.claimed());
      expect(world.handled).toEqual(['other']);
      expect(await world.claim()).toBe(exitWhenIdle ? 'drained' : 'busy');
      expect(world.rotation.blocked.map(({ run }) => run.runId)).toEqual(exitWhenIdle ? ['later'] : []);
    }
  });

  test('what it could not open is tried again later', async () => {
    const world = new World();
    let there = false;
    const ready = { concurrency: 1, handle: async () => undefined };
    world.add('r', ['claim'], async () => (there ? ready : null));
    expect([await world.claim(), await world.claim()]).toEqual(['busy', 'busy']);
    there = true;
    world.nowMs += 59_000;
    expect([await world.claim(), await world.claim()]).toEqual(['busy', 'busy']);
    world.nowMs += 1000;
    expect([await world.claim(), await world.claim()]).toEqual(['busy', 'r']);
  });

  test('an error while a run is opened ends it', async () => {
    const world = new World();
    world.add('r', ['claim'], () => Promise.reject(new Error('a bug')));
    await world.claim();
    await expect(world.claim()).rejects.toThrow('a bug');
  });

  test('tells what it had a part in and what is left of it', async () => {
    const world = new World({ exitWhenIdle: true });
    world.add('untouched', [BUSY]);
    world.add('touched', ['claim', PAUSED_LANE]);
    await world.claim();
    await world.rotation.handle(await world.claimed());
    await world.claim();
    expect(world.rotation.left).toMatchObject([{ run: { runId: 'touched' }, end: { kind: 'blocked' } }]);
  });
});

test('a worker of all runs that finds nothing waits longer each time, and no longer than ever once there is work', async () => {
  const world = new World({ idlePauseMs: (looks) => 1000 * looks });
  expect([await world.claim(), world.rotation.idlePauseMs()]).toEqual(['busy', 1000]);
  world.nowMs += 1000;
  expect([await world.claim(), world.rotation.idlePauseMs()]).toEqual(['busy', 2000]);
  world.add('r1', [PAUSED_LANE]);
  world.nowMs += 2000;
  // It is being opened.
  expect([await world.claim(), world.rotation.idlePauseMs()]).toEqual(['busy', null]);
  world.nowMs += 1000;
  expect(await world.ask()).toEqual({ kind: 'busy', untilMs: null });
  expect(world.rotation.idlePauseMs()).toBe(1000);
  world.add('r2', ['claim', BUSY]);
  world.nowMs += 2000;
  await world.claim();
  expect([await world.claim(), world.rotation.idlePauseMs()]).toEqual(['r2', null]);
});
