import type { ClaimReply, ClaimRequest, Settled, StepOutcome } from '../work.ts';
import { claimLocks, runsLocks, tokenLocks, twinLocks } from './locks.ts';
import { noteAlive, signsOf } from './steps/alive.ts';
import { type ClaimedReply, claim, claimFacts } from './steps/claim.ts';
import { abandonedOf, type HeldLease, leases, reap } from './steps/reap.ts';
import { leased, markSent, settle } from './steps/settle.ts';
import type { Transactor } from './transactor.ts';
import type { WorkerRegistry } from './workers/worker-registry.ts';
import { isRegistered } from './workers/workers.ts';

/** Leases of this process: what is claimed, what is taken back before, and how they end. */
export class Claims {
  readonly #transactor: Transactor;
  readonly #registry: WorkerRegistry;
  readonly #runs = new Map<string, string>();

  constructor(transactor: Transactor, registry: WorkerRegistry) {
    this.#transactor = transactor;
    this.#registry = registry;
  }

  async claim(request: ClaimRequest): Promise<ClaimReply> {
    this.#registry.throwIfLost();
    const { reply, beatMs } = await this.#claim(request);
    if (reply.kind === 'claimed') {
      this.#runs.set(reply.claim.token, reply.claim.runId);
      this.#registry.expectBeats(request.workerId, beatMs);
    }
    return reply;
  }

  async markSent(token: string): Promise<boolean> {
    const sent = await this.#transactor.writeKnowing(
      tokenLocks(token, this.runOf(token)),
      (sql) => leased(sql, token),
      (tx, lease) => markSent(tx, token, lease),
    );
    if (!sent) this.#runs.delete(token);
    return sent;
  }

  async settle(token: string, outcome: StepOutcome): Promise<Settled> {
    const runId = this.runOf(token);
    const locks = outcome.kind === 'answered' ? twinLocks(token, runId) : tokenLocks(token, runId);
    const settled = await this.#transactor.writeKnowing(
      locks,
      (sql) => leased(sql, token),
      (tx, lease) => settle(tx, token, outcome, lease),
    );
    this.#runs.delete(token);
    if (settled.applied && settled.finish !== null) this.#runs.set(settled.finish.token, settled.finish.runId);
    return settled;
  }

  /** Of a lease that this process was given. */
  runOf(token: string): string | null {
    return this.#runs.get(token) ?? null;
  }

  /** Takes back all leases that were abandoned. `claimer`: as `reap` has it. */
  async reap(claimer: string | null): Promise<void> {
    const { watch } = this.#registry;
    const abandoned = await this.#transactor.read(async ({ sql, nowMs }) => abandonedOf(await leases(sql), { nowMs, watch }));
    if (abandoned.length > 0) await this.#take(abandoned, claimer);
  }

  /**
   * First the leases that were abandoned are taken back, in a transaction of their own, because they may be of any run: a claim that sees
   * some has only looked.
   */
  async #claim(request: ClaimRequest): Promise<ClaimedReply> {
    const { runId, workerId } = request;
    const found = await this.#transactor.writeKnowing(
      claimLocks(runId),
      (sql) => Promise.all([leases(sql), claimFacts(sql, request), isRegistered(sql, workerId)]),
      async (tx, [held, facts, isKnown]) => {
        const abandoned = abandonedOf(held, tx);
        if (!isKnown) this.#registry.registerAgain(tx, workerId);
        const noted = signsOf(tx, workerId).then((signs) => noteAlive(tx, workerId, signs));
        const [reply] = await Promise.all([abandoned.length > 0 ? { abandoned } : claim(tx, request, facts), noted]);
        return reply;
      },
    );
    if (!('abandoned' in found)) return found;
    await this.#take(found.abandoned, workerId);
    return this.#transactor.writeKnowing(
      claimLocks(runId),
      (sql) => claimFacts(sql, request),
      (tx, facts) => claim(tx, request, facts),
    );
  }

  #take(abandoned: readonly HeldLease[], claimer: string | null): Promise<void> {
    const runIds = [...new Set(abandoned.map(({ runId }) => runId))];
    return this.#transactor.write(runsLocks(runIds), (tx) => reap(tx, abandoned, claimer));
  }
}
