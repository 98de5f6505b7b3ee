import type { Claim, Settled } from '../../../../src/store/work.ts';
import type { Bench } from '../../bench.ts';
import { worker } from '../../rows.ts';

const LAST = 'last';
const LONGEST_WAIT_MS = 60_000;
const MANY_TURNS = 200;

/** What an honest worker did to bring a run to its end. */
export type Drained = {
  /** The calls that it made, as `kind key`. */
  readonly calls: readonly string[];
  /** How often nothing was to be had and it let a minute pass. */
  readonly waits: number;
};

/** One honest worker works off what is left of run `r1`, and leaves. */
export async function drain(bench: Bench): Promise<Drained> {
  const calls: string[] = [];
  let waits = 0;
  await bench.store.registerWorker(worker(LAST));
  for (let turn = 0; turn < MANY_TURNS; turn += 1) {
    const reply = await bench.claim('r1', LAST);
    if (reply.kind === 'drained' || (reply.kind === 'stopped' && (await isOver(bench)))) break;
    if (reply.kind === 'claimed') {
      await work(bench, reply.claim, calls);
    } else {
      waits += 1;
      bench.clock.pass(LONGEST_WAIT_MS);
    }
  }
  await bench.store.removeWorker(LAST);
  return { calls, waits };
}

/** A cancelled run stops claims before the leases of the dead have run out. */
async function isOver({ store }: Bench): Promise<boolean> {
  const { queued, running } = (await store.runTotals('r1')).jobs;
  return queued + running === 0;
}

async function work(bench: Bench, claim: Claim, calls: string[]): Promise<void> {
  if (claim.work.kind === 'finish') return void (await bench.finish(claim));
  if (claim.work.kind === 'judge') return finishIf(bench, await bench.accept(claim, { findings: [] }, claim.work.callToken));
  calls.push(`${claim.work.stepKind} ${claim.work.key}`);
  return finishIf(bench, await bench.answer(claim));
}

async function finishIf(bench: Bench, settled: Settled): Promise<void> {
  if (settled.applied && settled.finish !== null) await bench.finish(settled.finish);
}
