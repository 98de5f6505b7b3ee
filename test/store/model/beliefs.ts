import type { Claim } from '../../../src/store/work.ts';
import { TTL_MS } from '../rows.ts';

/** A worker as the model knows it. `lastBeatMs` is on the clock that only goes forward. */
export type Holder = { readonly workerId: string; alive: boolean; frozen: boolean; lastBeatMs: number };

type Held = { readonly claim: Claim; readonly holder: Holder; readonly sinceMs: number };

/** What must be true of the store, told from what was done to it and never from its rows. */
export class Beliefs {
  readonly #tokens = new Set<string>();
  readonly #sent = new Set<string>();
  readonly #held = new Map<number, Held>();
  /** Run and key → an answer of it was accepted. */
  readonly #answered = new Set<string>();
  /** Call → run, key and kind of a response that nobody has judged. */
  readonly #unjudged = new Map<string, string>();

  /** A claim was given. Throws what is wrong about it. */
  claimed(claim: Claim, holder: Holder, nowMs: number): void {
    if (this.#tokens.has(claim.token)) throw new Error(`token ${claim.token} was given before`);
    this.#tokens.add(claim.token);
    for (const other of this.#held.values()) {
      if (this.#isSameWork(other.claim, claim) && isSafe(other, nowMs))
        throw new Error(`${describe(claim)} was taken from a living worker`);
    }
    this.#refuseNeedlessCall(claim);
    this.#held.set(claim.stepId, { claim, holder, sinceMs: nowMs });
  }

  #isSameWork(held: Claim, claim: Claim): boolean {
    if (held.runId !== claim.runId) return false;
    return (
      held.stepId === claim.stepId || (held.work.kind !== 'finish' && claim.work.kind !== 'finish' && held.work.key === claim.work.key)
    );
  }

  #refuseNeedlessCall({ runId, work }: Claim): void {
    if (work.kind !== 'call') return;
    const paid = [...this.#unjudged.values()].includes(`${runId} ${work.key} ${work.stepKind}`);
    if (paid) throw new Error(`key ${work.key} is asked again though a paid answer waits`);
    if (this.#answered.has(`${runId} ${work.key}`)) throw new Error(`key ${work.key} is asked again though it was answered`);
  }

  /** Whether the holder may be sure of its lease: `true`, `false`, or `null` when both may be. */
  holds(claim: Claim, nowMs: number): boolean | null {
    const held = this.#held.get(claim.stepId);
    if (held === undefined) return null;
    if (held.claim.token !== claim.token) return false;
    return isSafe(held, nowMs) ? true : null;
  }

  isSent({ token }: Claim): boolean {
    return this.#sent.has(token);
  }

  sent({ token }: Claim): void {
    this.#sent.add(token);
  }

  /** It was not sent, and its worker has let go of it. */
  released({ stepId, token }: Claim): void {
    if (this.#held.get(stepId)?.claim.token === token) this.#held.delete(stepId);
  }

  recorded(claim: Claim, token: string): void {
    if (claim.work.kind === 'call') this.#unjudged.set(token, `${claim.runId} ${claim.work.key} ${claim.work.stepKind}`);
  }

  /** A settle was applied; `callToken` is the call that it judged. */
  settled(claim: Claim, callToken: string, answered: boolean): void {
    this.#held.delete(claim.stepId);
    this.#unjudged.delete(callToken);
    if (answered && claim.work.kind !== 'finish') this.#answered.add(`${claim.runId} ${claim.work.key}`);
  }

  /** A person asked for new answers: what is there does not count. */
  askedAfresh(runId: string): void {
    for (const known of this.#answered) if (known.startsWith(`${runId} `)) this.#answered.delete(known);
    for (const [token, of] of this.#unjudged) if (of.startsWith(`${runId} `)) this.#unjudged.delete(token);
  }

  /** Its worker said goodbye. */
  left(holder: Holder): void {
    for (const [stepId, held] of this.#held) if (held.holder === holder) this.#held.delete(stepId);
  }
}

/** A lease whose worker lives, is not frozen and has beaten within its time cannot have been taken. */
function isSafe({ holder, sinceMs, claim }: Held, nowMs: number): boolean {
  const deadlineMs = claim.deadlineAtMs - claim.claimedAtMs;
  const beaten = nowMs - Math.max(sinceMs, holder.lastBeatMs) < TTL_MS;
  return holder.alive && !holder.frozen && beaten && nowMs - sinceMs < deadlineMs;
}

function describe({ stepId, job, work }: Claim): string {
  return `step ${stepId} (${work.kind} of ${job.jobId})`;
}
