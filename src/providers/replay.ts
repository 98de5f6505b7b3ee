import type { Completion, CompletionRequest } from '../domain/completion.ts';
import { ProviderError } from '../domain/errors.ts';
import type { Failure } from '../domain/reason.ts';
import { type Cassette, type CassetteEntry, type RecordedAnswer, requestSummary } from './cassette.ts';
import { cancelledFailure } from './classify.ts';
import type { CallListener, Provider } from './provider.ts';
import type { Sleep } from './sleep.ts';
import { type JsonObject, wireBody, wireKey } from './wire-body.ts';

export type ReplayOptions = {
  readonly cassette: Cassette;
  /** For messages. */
  readonly path: string;
  /** Wait before each answer. */
  readonly latencyMs: number;
  readonly sleep: Sleep;
  readonly clock: () => number;
};

/**
 * Answers from a cassette, never from a network. Which of a body's responses comes is decided by the request's `attempt`, so that
 * a restart goes on where it was; and at least by the number of calls in this process, so that a recorded 429, which counts no
 * attempt, does not come for ever. Recorded failures are thrown; an unknown body is a permanent `replay_miss`.
 */
export function createReplayProvider(options: ReplayOptions): Provider {
  const entries = new Map(options.cassette.entries.map((entry) => [entry.key, entry]));
  const asked = new Map<string, number>();
  const complete = async (request: CompletionRequest, signal: AbortSignal, listener?: CallListener): Promise<Completion> => {
    const startedAtMs = options.clock();
    if (options.latencyMs > 0) await options.sleep(options.latencyMs, signal);
    if (signal.aborted) throw new ProviderError(cancelledFailure(), { sent: false });
    const body = wireBody(request);
    const key = wireKey(body);
    const entry = entries.get(key);
    if (entry === undefined) throw new ProviderError(missFailure(request, options), { sent: false });
    const response = responseAt(entry, request, asked);
    if ('failure' in response) throw new ProviderError(response.failure, { sent: response.sent });
    listener?.onFirstToken();
    return replayed(response.answer, request, body, options.clock() - startedAtMs);
  };
  return { complete, preflight: async () => null, close: async () => undefined };
}

function responseAt(entry: CassetteEntry, request: CompletionRequest, asked: Map<string, number>): CassetteEntry['responses'][number] {
  const repeat = request.repeat ?? 0;
  const counter = `${entry.key} ${repeat}`;
  const before = asked.get(counter) ?? 0;
  asked.set(counter, before + 1);
  const own = entry.responses.filter((response) => response.repeat === repeat);
  const responses = own.length > 0 ? own : entry.responses;
  const response = responses[Math.min(Math.max(before, request.attempt - 1), responses.length - 1)];
  if (response === undefined) throw new Error(`cassette entry ${entry.key} has no response`);
  return response;
}

function replayed(answer: RecordedAnswer, request: CompletionRequest, body: JsonObject, latencyMs: number): Completion {
  const mode = request.output.format === 'json' ? request.output.mode : null;
  return { ...answer, requestId: null, latencyMs, firstTokenMs: null, mode, wireBody: body };
}

function missFailure(request: CompletionRequest, { cassette, path }: ReplayOptions): Failure {
  const asked = requestSummary(request);
  const near = nearestEntry(asked, cassette.entries);
  const nearest = near === undefined ? 'the cassette is empty' : `nearest recorded: ${shown(near.request)}${hint(asked, near.request)}`;
  const message = `no recorded answer in ${path} for ${shown(asked)}; ${nearest}. record it with: aieval run --record FILE`;
  return { class: 'permanent', reason: 'replay_miss', message };
}

type Summary = CassetteEntry['request'];

function shown({ model, prompt, chars }: Summary): string {
  return `model "${model}", prompt "${prompt}" (${chars} characters)`;
}

function hint(asked: Summary, near: Summary): string {
  const same = asked.model === near.model && asked.prompt === near.prompt && asked.chars === near.chars;
  return same ? ', which looks the same: the parameters, the output schema or a part of the text differ' : '';
}

/** The same model counts most, then the longest common beginning, then the nearest length. */
function nearestEntry(asked: Summary, entries: readonly CassetteEntry[]): CassetteEntry | undefined {
  const ranked = entries.map((entry) => ({ entry, rank: rankOf(asked, entry.request) }));
  ranked.sort((a, b) => b.rank.model - a.rank.model || b.rank.common - a.rank.common || a.rank.gap - b.rank.gap);
  return ranked[0]?.entry;
}

function rankOf(asked: Summary, other: Summary): { model: number; common: number; gap: number } {
  let common = 0;
  while (common < asked.prompt.length && asked.prompt[common] === other.prompt[common]) common += 1;
  return { model: asked.model === other.model ? 1 : 0, common, gap: Math.abs(asked.chars - other.chars) };
}
