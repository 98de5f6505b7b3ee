import { type Admission, admit, type Totals } from '../../../src/domain/admit.ts';
import { parkedUntilMs } from '../../../src/domain/lane/breaker.ts';
import type { CallSeen, LaneLimits, LanePause, LaneState, RateReport, TokenEstimate } from '../../../src/domain/lane/lane.ts';
import { afterCall, afterGrant, afterSent, concurrencyOf, NEW_PACE, tokensOf } from '../../../src/domain/lane/pace.ts';
import type { Failure } from '../../../src/domain/reason.ts';
import { afterFailure } from '../../../src/domain/retry.ts';

/** Numbers in [0, 1), the same for every run of a seed. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** What a server says to a request that arrives, and when the answer is complete. */
export type Reply = {
  readonly afterMs: number;
  readonly failure: Failure | null;
  readonly rates?: RateReport;
  readonly outputTokens?: number;
};

/** `tokens`: what it counts for the request: its input and the longest answer. */
export type Server = { ask(atMs: number, tokens: number, end: (atMs: number, outputTokens: number) => void): Reply | null };

export type World = {
  readonly server: Server;
  readonly limits: LaneLimits;
  readonly calls: number;
  readonly claimers: number;
  readonly seed: number;
  /** Share by which the server's count of the input differs at most from what we learnt. */
  readonly estimateError?: number;
  readonly inputTokens?: number;
  readonly attempts?: number;
  readonly untilMs?: number;
  /** The lane has learnt from another run, which ended just now. */
  readonly after?: Outcome;
};

type Sight = {
  readonly atMs: number;
  readonly kind: 'accepted' | 'refused' | 'failed';
  readonly limit: number;
  readonly running: number;
};

export type Outcome = {
  readonly sights: readonly Sight[];
  readonly accepted: number;
  readonly refused: number;
  readonly elapsedMs: number;
  readonly tokens: number;
  readonly lost: number;
  readonly pause: LanePause | null;
  readonly lane: LaneState;
};

type Question = { readonly key: string; attempts: number; waits: number; notBeforeMs: number };

const NO_TOTALS: Totals = {
  runRunning: 0,
  runConcurrency: null,
  storeRunning: 0,
  storeMaximum: null,
  failedEnough: false,
  budget: null,
};
const START_MS = 1_800_000_000_000;
const OUTPUT_TOKENS = 100;

/** Runs claimers against a server on a clock of its own, event by event. */
export function simulate(world: World): Outcome {
  const random = seeded(world.seed);
  const whole = (from: number, to: number) => from + Math.floor(random() * (to - from + 1));
  const events = new Events();
  const questions: Question[] = Array.from({ length: world.calls }, (_, index) => ({
    key: `key-${index}`,
    attempts: 0,
    waits: 0,
    notBeforeMs: 0,
  }));
  const sights: Sight[] = [];
  const startMs = START_MS + (world.after?.elapsedMs ?? 0);
  let lane: LaneState = { id: 'lane', running: 0, limits: world.limits, pause: null, pace: world.after?.lane.pace ?? NEW_PACE };
  let tokensAsked = 0;
  let lost = 0;
  let lastMs = startMs;
  const wakes = Array.from({ length: world.claimers }, () => Number.POSITIVE_INFINITY);

  // A time that was asked for stays: the earliest wakes.
  const wakeAt = (claimer: number, atMs: number) => {
    if ((wakes[claimer] ?? 0) <= atMs) return;
    wakes[claimer] = atMs;
    events.at(atMs, () => {
      if (wakes[claimer] !== atMs) return;
      wakes[claimer] = Number.POSITIVE_INFINITY;
      claim(claimer, atMs);
    });
  };

  const claim = (claimer: number, nowMs: number) => {
    const index = questions.findIndex(({ notBeforeMs }) => notBeforeMs <= nowMs);
    const question = questions[index];
    if (question === undefined) {
      const next = Math.min(...questions.map(({ notBeforeMs }) => notBeforeMs));
      if (next !== Number.POSITIVE_INFINITY) wakeAt(claimer, next + whole(1, 10));
      return;
    }
    const inputTokens = Math.round((world.inputTokens ?? 250) * (0.8 + 0.4 * random()));
    const estimate: TokenEstimate = { inputTokens, maxInputTokens: inputTokens * 2, maxOutputTokens: OUTPUT_TOKENS };
    const tokens = tokensOf(lane.pace, 'model', estimate);
    const admission: Admission = admit(nowMs, { tokens, worst: { nanoUsd: 0, tokens: 0 } }, lane, NO_TOTALS);
    if (admission.kind === 'blocked') {
      if (admission.untilMs !== null) wakeAt(claimer, admission.untilMs + whole(1, 10));
      return;
    }
    questions.splice(index, 1);
    lane = { ...lane, running: lane.running + 1, pace: afterGrant(nowMs, lane, tokens) };
    send({ nowMs, question, estimate, tokens });
    wakeAt(claimer, nowMs + whole(0, 2));
  };

  const send = (grant: { nowMs: number; question: Question; estimate: TokenEstimate; tokens: number }) => {
    // Mostly a few milliseconds, at times 40.
    const sentAtMs = grant.nowMs + Math.floor(2 * 20 ** random());
    events.at(sentAtMs, () => {
      lane = { ...lane, pace: afterSent(sentAtMs, lane, { grantedAtMs: grant.nowMs, tokens: grant.tokens }) };
      const arrivesAtMs = sentAtMs + whole(0, 2);
      const error = world.estimateError ?? 0;
      const input = Math.round(grant.estimate.inputTokens * 1.2 * (1 - error + 2 * error * random()));
      events.at(arrivesAtMs, () => {
        tokensAsked += input + OUTPUT_TOKENS;
        const over = (reply: Reply, atMs: number) => events.at(atMs, () => end(grant, { reply, atMs, input, arrivesAtMs }));
        const reply = world.server.ask(arrivesAtMs, input + OUTPUT_TOKENS, (atMs, outputTokens) =>
          over({ afterMs: 0, failure: null, outputTokens }, atMs),
        );
        if (reply !== null) over(reply, arrivesAtMs + reply.afterMs);
      });
    });
  };

  const end = (
    grant: { nowMs: number; question: Question; estimate: TokenEstimate; tokens: number },
    call: { reply: Reply; atMs: number; input: number; arrivesAtMs: number },
  ) => {
    const { question } = grant;
    const { reply, atMs } = call;
    const { failure } = reply;
    const seen: CallSeen = {
      grantedAtMs: grant.nowMs,
      grantedTokens: grant.tokens,
      estimate: grant.estimate,
      model: 'model',
      key: question.key,
      running: lane.running,
      failure,
      usage:
        failure === null
          ? { uncachedInput: call.input, cacheRead: 0, cacheWrite: 0, output: reply.outputTokens ?? OUTPUT_TOKENS, reasoning: 0 }
          : null,
      timing: failure === null ? { latencyMs: atMs - call.arrivesAtMs, firstTokenMs: null } : null,
      rates: reply.rates ?? null,
    };
    const kind = failure === null ? 'accepted' : failure.class === 'rate' ? 'refused' : 'failed';
    const after = afterCall(atMs, lane, seen, { maxWaitMs: 120_000, random: random() });
    sights.push({ atMs: atMs - startMs, kind, limit: concurrencyOf(lane), running: lane.running });
    lane = { ...lane, running: lane.running - 1, pace: after.pace, pause: after.pause ?? lane.pause };
    lastMs = atMs;
    if (failure !== null) requeue(question, failure, atMs);
    for (let claimer = 0; claimer < world.claimers; claimer++) wakeAt(claimer, atMs + whole(0, 3));
  };

  const requeue = (question: Question, failure: Failure, nowMs: number) => {
    if (failure.class === 'transient') question.attempts++;
    else question.waits++;
    const limits = { attempts: world.attempts ?? 3, lostLeases: 3, maxWaitMs: 120_000 };
    const decision = afterFailure({ failure, ...question, limits, nowMs, random: random() });
    if (decision.kind === 'final') lost++;
    else {
      const parkedMs = failure.class === 'transient' ? (parkedUntilMs(lane.pace.breaker) ?? 0) : 0;
      questions.push({ ...question, notBeforeMs: Math.max(decision.notBeforeMs, parkedMs) });
    }
  };

  for (let claimer = 0; claimer < world.claimers; claimer++) wakeAt(claimer, startMs + whole(0, 10));
  events.run(startMs + (world.untilMs ?? 48 * 3_600_000));
  const count = (wanted: Sight['kind']) => sights.filter(({ kind }) => kind === wanted).length;
  return {
    sights,
    accepted: count('accepted'),
    refused: count('refused'),
    elapsedMs: lastMs - startMs,
    tokens: tokensAsked,
    lost,
    pause: lane.pause,
    lane,
  };
}

/** Share of refusals, and accepted calls in a minute, of all that ended after `share` of the calls, or `untilMs` if that is sooner. */
export function afterWarmUp({ sights }: Outcome, share: number, untilMs: number) {
  const fromMs = Math.min(untilMs, sights[Math.floor(sights.length * share)]?.atMs ?? 0);
  const rest = sights.filter(({ atMs }) => atMs >= fromMs);
  const accepted = rest.filter(({ kind }) => kind === 'accepted').length;
  const lastMs = rest.at(-1)?.atMs ?? fromMs;
  return { refusedShare: 1 - accepted / rest.length, perMinute: (accepted * 60_000) / (lastMs - fromMs) };
}

/** What happens when, earliest first; of one time, in the order of asking. */
class Events {
  readonly #heap: { atMs: number; order: number; act: () => void }[] = [];
  #order = 0;

  at(atMs: number, act: () => void): void {
    const heap = this.#heap;
    heap.push({ atMs, order: this.#order++, act });
    for (let child = heap.length - 1; child > 0; ) {
      const parent = (child - 1) >> 1;
      if (!this.#swapIfEarlier(child, parent)) break;
      child = parent;
    }
  }

  run(untilMs: number): void {
    for (let next = this.#pop(); next !== undefined && next.atMs <= untilMs; next = this.#pop()) next.act();
  }

  #pop() {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    heap[0] = last;
    for (let parent = 0; ; ) {
      const left = 2 * parent + 1;
      const earlier = this.#isEarlier(left + 1, left) ? left + 1 : left;
      if (!this.#swapIfEarlier(earlier, parent)) return first;
      parent = earlier;
    }
  }

  #isEarlier(index: number, other: number): boolean {
    const [a, b] = [this.#heap[index], this.#heap[other]];
    if (a === undefined || b === undefined) return false;
    return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
  }

  #swapIfEarlier(index: number, other: number): boolean {
    if (!this.#isEarlier(index, other)) return false;
    const [a, b] = [this.#heap[index], this.#heap[other]];
    if (a !== undefined && b !== undefined) {
      this.#heap[index] = b;
      this.#heap[other] = a;
    }
    return true;
  }
}
