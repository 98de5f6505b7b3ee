import type { Json } from '../domain/canonical-json.ts';
import { sha256Hex } from '../domain/canonical-json.ts';
import type { Completion, CompletionRequest } from '../domain/completion.ts';
import { ProviderError } from '../domain/errors.ts';
import type { Usage } from '../domain/money.ts';
import { cancelledFailure } from './classify.ts';
import { fencedText, sentenceNear } from './prompt-sentence.ts';
import type { CallListener, Provider } from './provider.ts';
import { type Draw, schemaInstance } from './schema-instance.ts';
import type { Sleep } from './sleep.ts';
import { wireBody, wireKey } from './wire-body.ts';

export type SimulatedOptions = {
  /** Wait before each answer. */
  readonly latencyMs: number;
  readonly sleep: Sleep;
  readonly clock: () => number;
};

const CHARACTERS_PER_TOKEN = 4;
const IS_QUOTE = /^(?:quote|evidence|citation)s?$/i;
const WORDS = 'the text states a limit that the next section repeats with a margin for noise and a clear range of values'.split(' ');
const PHRASE_WORDS = 8;
/** What free-form JSON looks like when no schema says otherwise. */
const ANY_OBJECT: Json = { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] };

/**
 * Made-up answers for load tests: the same body gives the same answer, which fits the output schema; quotes are sentences of the
 * prompt's document. Token counts are estimates.
 */
export function createSimulatedProvider({ latencyMs, sleep, clock }: SimulatedOptions): Provider {
  const complete = async (request: CompletionRequest, signal: AbortSignal, listener?: CallListener): Promise<Completion> => {
    const startedAtMs = clock();
    if (latencyMs > 0) await sleep(latencyMs, signal);
    if (signal.aborted) throw new ProviderError(cancelledFailure(), { sent: false });
    const body = wireBody(request);
    const content = contentOf(request, wireKey(body));
    const elapsedMs = clock() - startedAtMs;
    listener?.onFirstToken();
    return {
      content,
      refusal: null,
      finishReason: 'stop',
      usage: estimatedUsage(request, content),
      model: request.model,
      requestId: null,
      latencyMs: elapsedMs,
      firstTokenMs: elapsedMs,
      mode: request.output.format === 'json' ? request.output.mode : null,
      wireBody: body,
    };
  };
  return { complete, preflight: async () => null, close: async () => undefined };
}

function contentOf({ messages, output }: CompletionRequest, key: string): string {
  const draw = drawFrom(key);
  if (output.format === 'text') return `${phrase(draw, 'text')}.`;
  const lastUser = messages.findLast(({ role }) => role === 'user');
  const document = fencedText(lastUser?.content ?? '');
  const text = (name: string, place: string): string =>
    (IS_QUOTE.test(name) ? sentenceNear(document, draw(place)) : null) ?? phrase(draw, place);
  return JSON.stringify(schemaInstance(output.schema ?? ANY_OBJECT, { draw, text }));
}

function drawFrom(key: string): Draw {
  return (place) => Number.parseInt(sha256Hex(`${key}${place}`).slice(0, 12), 16) / 16 ** 12;
}

function phrase(draw: Draw, place: string): string {
  const words = Array.from({ length: PHRASE_WORDS }, (_, index) => WORDS[Math.floor(draw(`${place}#${index}`) * WORDS.length)]);
  return words.join(' ');
}

function estimatedUsage({ messages }: CompletionRequest, content: string): Usage {
  const input = messages.reduce((sum, message) => sum + message.content.length, 0);
  return {
    uncachedInput: Math.ceil(input / CHARACTERS_PER_TOKEN),
    cacheRead: 0,
    cacheWrite: 0,
    output: Math.ceil(content.length / CHARACTERS_PER_TOKEN),
    reasoning: 0,
  };
}
