import fc from 'fast-check';
import { UserError } from '../../../src/domain/errors.ts';
import type { Failure } from '../../../src/domain/reason.ts';
import type { Claim, Settled, StepOutcome } from '../../../src/store/work.ts';
import { isUnreduced } from '../bench.ts';
import { completion, FREE_ERROR, failure, INVALID, PAID, reduce, result } from '../rows.ts';
import type { Machine, Process } from './machine.ts';

const HOUR_MS = 3_600_000;

/** What happens next; `index` chooses among processes, claims, runs or lengths of time. */
export type Command = { readonly action: keyof typeof ACTIONS; readonly index: number; readonly run: string };

const FAILURES: { readonly [action: string]: Failure } = {
  transient: failure(),
  permanent: failure({ class: 'permanent', reason: 'bad_request' }),
  bad: INVALID,
  rate: failure({ class: 'rate', reason: 'rate_limited' }),
  refused: failure({ class: 'fatal', reason: 'auth' }),
  unheardOf: failure({ class: 'fatal', reason: 'model_unknown' }),
};

type Act = (machine: Machine, command: Command) => Promise<unknown>;

/** Every verb of work, and everything that a machine does to the processes that use them. */
const ACTIONS = {
  claim: (machine, { index, run }) => claim(machine, pick(machine.awake(), index), run),
  answer: (machine, { index }) => withClaim(machine, index, (process, held) => answer(machine, process, held)),
  onlySend: (machine, { index }) => withClaim(machine, index, (process, held) => markSent(machine, process, held)),
  onlyRecord: (machine, { index }) => withClaim(machine, index, (process, held) => send(machine, process, held)),
  supersede: (machine, { index }) => withClaim(machine, index, (process, held) => supersede(machine, process, held)),
  transient: fail,
  permanent: fail,
  bad: fail,
  rate: fail,
  refused: fail,
  unheardOf: fail,
  firstToken: (machine, { index }) => withClaim(machine, index, (process, held) => process.bench.store.noteFirstToken(held.token)),
  handBack: (machine, { index }) =>
    withClaim(machine, index, (process, held) => settle(machine, process, held, { kind: 'handed_back' }, held.token)),
  pass: (machine, { index }) => machine.pass([1000, 15_000, 20_000, 61_000][index % 4] ?? 0),
  jump: async (machine, { index }) => machine.jump([6 * HOUR_MS, -HOUR_MS, 90_000][index % 3] ?? 0),
  crash: async (machine, { index }) => {
    const [victim] = [
      pick(
        machine.processes.filter(({ alive }) => alive),
        index,
      ),
    ];
    if (victim !== undefined) await machine.kill(victim);
    if (machine.awake().length === 0) await machine.start();
  },
  start: async (machine) => (machine.awake().length < 4 ? machine.start() : undefined),
  leave: async (machine, { index }) => {
    const process = pick(machine.awake(), index);
    if (process !== undefined && machine.awake().length > 1) await machine.leave(process);
  },
  freeze: async (machine, { index }) => {
    const process = pick(machine.awake(), index);
    if (process !== undefined && machine.awake().length > 1) process.frozen = true;
  },
  thaw: async (machine, { index }) => {
    const process = pick(
      machine.processes.filter(({ alive, frozen }) => alive && frozen),
      index,
    );
    if (process !== undefined) process.frozen = false;
  },
  cancelJobs: async (machine, { index, run }) => anyStore(machine).cancelJobs(run, [`j${index}`], { now: index % 2 === 0 }),
  cancelRun: async (machine, { index }) => anyStore(machine).cancelRun('r2', { now: index % 2 === 0 }),
  pauseRun: (machine, { run }) => anyStore(machine).pauseRun(run),
  resumeRun: (machine, { run }) => anyStore(machine).resumeRun(run),
  retryDlq: (machine, { run }) => unlessRefused(retry(machine, run, 'dlq')),
  retryFailed: (machine, { run }) => unlessRefused(retry(machine, run, 'failed')),
  finishRun: (machine, { run }) => anyStore(machine).finishRun(run),
  settleUnknown: (machine, { run }) => anyStore(machine).settleUnknown(run, 'worst'),
  forgetCache: (machine) => anyStore(machine).invalidateCache({ model: null, namespace: null, endpoint: null, storedBeforeMs: null }),
  prune: (machine) =>
    unlessRefused(
      anyStore(machine)
        .pruneRun('r3')
        .then(() => anyStore(machine).pruneUnused({ dryRun: false })),
    ),
} satisfies { readonly [action: string]: Act };

const WEIGHTS: { readonly [action: string]: number } = {
  claim: 14,
  answer: 7,
  onlyRecord: 7,
  pass: 5,
  crash: 5,
  freeze: 3,
  thaw: 3,
  supersede: 2,
  jump: 2,
};

export const anyCommand: fc.Arbitrary<Command> = fc.record({
  action: fc.oneof(
    ...(Object.keys(ACTIONS) as (keyof typeof ACTIONS)[]).map((action) => ({
      arbitrary: fc.constant(action),
      weight: WEIGHTS[action] ?? 1,
    })),
  ),
  index: fc.nat(7),
  run: fc.constantFrom('r1', 'r2'),
});

export async function perform(machine: Machine, command: Command): Promise<void> {
  const act: Act = ACTIONS[command.action];
  await act(machine, command);
}

function pick<Item>(items: readonly Item[], index: number): Item | undefined {
  return items[index % Math.max(1, items.length)];
}

function anyStore(machine: Machine) {
  const [process] = machine.awake();
  if (process === undefined) throw new Error('Nobody is awake');
  return process.bench.store;
}

async function withClaim(machine: Machine, index: number, work: (process: Process, held: Claim) => Promise<unknown>): Promise<void> {
  const holders = machine.awake().filter(({ held }) => held.length > 0);
  const process = pick(holders, index);
  const held = process === undefined ? undefined : pick(process.held, index);
  if (process !== undefined && held !== undefined) await work(process, held);
}

export async function claim(machine: Machine, process: Process | undefined, run: string): Promise<string> {
  if (process === undefined) return 'nobody';
  const reply = await process.bench.claim(run, process.workerId);
  if (reply.kind !== 'claimed') return reply.kind === 'stopped' ? reply.state : reply.kind;
  machine.beliefs.claimed(reply.claim, process, machine.monotonicMs);
  process.held.push(reply.claim);
  return 'claimed';
}

/** False: the lease is lost, or was given back because the clock says that its deadline has passed; or nothing is to be sent. */
async function markSent(machine: Machine, process: Process, held: Claim): Promise<boolean> {
  if (held.work.kind !== 'call' || machine.beliefs.isSent(held)) return false;
  if (await process.bench.store.markSent(held.token)) {
    machine.beliefs.sent(held);
    return true;
  }
  machine.beliefs.released(held);
  process.held.splice(process.held.indexOf(held), 1);
  return false;
}

/** Sends the call of a claim and stores its answer. */
async function send(machine: Machine, process: Process, held: Claim): Promise<void> {
  if (!(await markSent(machine, process, held))) return;
  await process.bench.store.recordResponse(held.token, completion());
  machine.beliefs.recorded(held, held.token);
}

/** The call whose answer this claim may judge; `null` when it has none. */
async function answeredCall(machine: Machine, process: Process, held: Claim): Promise<string | null> {
  if (held.work.kind === 'judge') return held.work.callToken;
  await send(machine, process, held);
  return (await process.bench.store.response(held.token)) === null ? null : held.token;
}

export async function answer(machine: Machine, process: Process, held: Claim): Promise<void> {
  if (held.work.kind === 'finish') {
    if (isUnreduced(held.work)) return settle(machine, process, held, { kind: 'reduce', step: reduce('kr') }, '');
    const callToken = held.work.answers.at(-1)?.callToken ?? '';
    const verdict = held.stepId % 2 === 0 ? 'pass' : 'fail';
    return settle(machine, process, held, { kind: 'finished', result: result(callToken, { verdict }) }, callToken);
  }
  const callToken = await answeredCall(machine, process, held);
  if (callToken === null) return giveUp(machine, process, held);
  await settle(machine, process, held, { kind: 'answered', callToken, answer: { findings: [] }, repaired: false, call: PAID }, callToken);
}

/** A call that was sent and never came back ends some time: else a worker that lives would hold it until its deadline. */
async function giveUp(machine: Machine, process: Process, held: Claim): Promise<void> {
  if (!machine.beliefs.isSent(held)) return;
  await settle(machine, process, held, { kind: 'failed', callToken: held.token, failure: failure(), call: FREE_ERROR }, held.token);
}

async function supersede(machine: Machine, process: Process, held: Claim): Promise<void> {
  if (held.work.kind === 'finish' || held.work.stepKind === 'reask') return;
  const callToken = await answeredCall(machine, process, held);
  if (callToken === null) return;
  const reask = { answer: '', errors: ['no'] };
  await settle(machine, process, held, { kind: 'superseded', callToken, reask, failure: INVALID, call: PAID }, callToken);
}

async function fail(machine: Machine, { action, index }: Command): Promise<void> {
  await withClaim(machine, index, async (process, held) => {
    if (!(await markSent(machine, process, held))) return;
    const why = FAILURES[action] ?? failure();
    await settle(machine, process, held, { kind: 'failed', callToken: held.token, failure: why, call: FREE_ERROR }, held.token);
  });
}

async function settle(machine: Machine, process: Process, held: Claim, outcome: StepOutcome, callToken: string): Promise<void> {
  const expected = machine.beliefs.holds(held, machine.monotonicMs);
  const settled: Settled = await process.bench.store.settle(held.token, outcome);
  process.held.splice(process.held.indexOf(held), 1);
  if (expected !== null && settled.applied !== expected) {
    throw new Error(`a settle of ${held.token} was ${settled.applied ? '' : 'not '}applied, against what its lease allows`);
  }
  if (!settled.applied) return;
  machine.beliefs.settled(held, callToken, outcome.kind === 'answered');
  if (settled.finish === null) return;
  machine.beliefs.claimed(settled.finish, process, machine.monotonicMs);
  process.held.push(settled.finish);
}

async function retry(machine: Machine, run: string, of: 'dlq' | 'failed'): Promise<void> {
  const { requeued } = await anyStore(machine).retryJobs(run, { of, jobIds: null, reasons: null });
  if (requeued > 0) machine.beliefs.askedAfresh(run);
}

/** A state that does not allow the command is an answer, not a failure of the store. */
async function unlessRefused(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof UserError)) throw error;
  });
}
