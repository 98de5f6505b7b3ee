import { ProviderError, UserError } from '../../domain/errors.ts';
import type { ResolvedManifest } from '../../domain/manifest/resolved.ts';
import type { Failure } from '../../domain/reason.ts';
import type { EngineEvent } from '../../engine/events.ts';
import type { Waiting } from '../../store/rows.ts';
import type { CliIo, CliStream } from '../io.ts';
import { isCi } from '../terminal/look.ts';
import type { Display } from './display.ts';
import type { RunOutcome } from './outcome.ts';

/**
 * Whether words of documents and models may be printed to these streams. With `privacy.evidence: "none"` only where a person sits at a
 * terminal: what goes into a pipe or into the log of a CI is kept, and read by others.
 */
export function mayShowWords({ env }: Pick<CliIo, 'env'>, streams: readonly CliStream[], { privacy }: Pick<ResolvedManifest, 'privacy'>) {
  return privacy.evidence !== 'none' || (!isCi(env) && streams.every(({ isTTY }) => isTTY === true));
}

/** The display as it may show runs of this manifest. */
export function underPrivacy(display: Display, io: Pick<CliIo, 'env'>, manifest: Pick<ResolvedManifest, 'privacy'>): Display {
  return mayShowWords(io, display.streams ?? [], manifest) ? display : withoutWords(display);
}

function withoutWords(display: Display): Display {
  return {
    ...(display.wantsSummary === undefined ? {} : { wantsSummary: display.wantsSummary }),
    ...(display.streams === undefined ? {} : { streams: display.streams }),
    // No word is in it.
    ...(display.onWork === undefined ? {} : { onWork: display.onWork }),
    onEvent: (event) => display.onEvent(bareEvent(event)),
    onTotals: (all) => display.onTotals(all.map(({ runId, totals }) => ({ runId, totals: bareTotals(totals) }))),
    onFinished: (outcome) => display.onFinished(bareOutcome(outcome)),
    close: () => display.close(),
  };
}

/** The event without a word of a document, a model or a server; names, numbers and reasons stay. */
export function bareEvent(event: EngineEvent): EngineEvent {
  switch (event.kind) {
    case 'document.failed':
      return { ...event, message: '' };
    case 'job.ended':
      return { ...event, error: event.error && { ...event.error, message: '' }, explanation: event.bareExplanation ?? null };
    case 'step.retry':
    case 'lane.paused':
      return { ...event, failure: bareFailure(event.failure) };
    case 'step.reask':
      return { ...event, errors: event.errors.map(() => 'not shown') };
    default:
      return event;
  }
}

/** `code` is the vendor's own word. */
function bareFailure({ code: _, partial: __, ...failure }: Failure): Failure {
  return { ...failure, message: statusText(failure) };
}

/** What is left of a server's message: `HTTP 503`; empty where there was no answer. */
export function statusText({ status }: Pick<Failure, 'status'>): string {
  return status === undefined ? '' : `HTTP ${status}`;
}

/** The same of what is waited for. What has a reason is a pause, whose message may be a server's; the others are ours. */
export function bareTotals<Totals extends { readonly waiting: readonly Waiting[] }>(totals: Totals): Totals {
  return { ...totals, waiting: totals.waiting.map(bareWaiting) };
}

function bareWaiting(waiting: Waiting): Waiting {
  return waiting.reason === undefined || waiting.reason === null ? waiting : { ...waiting, message: null };
}

/** What is to be done is read from messages, so these are left to whoever shows it. */
function bareOutcome(outcome: RunOutcome): RunOutcome {
  return { ...outcome, bare: true, totals: bareTotals(outcome.totals), stoppedBy: outcome.stoppedBy.map(bareWaiting) };
}

/** A problem of an endpoint without what the server said: its status, or the reason, stands in that place. */
export function bareProblem<Thrown>(error: Thrown): Thrown | UserError {
  if (!(error instanceof UserError) || !(error.cause instanceof ProviderError)) return error;
  const { code, exitCode, message, next } = error;
  const { failure } = error.cause;
  return new UserError({ code, exitCode, message: message.replaceAll(failure.message, () => statusText(failure) || failure.reason), next });
}
