import { ProviderError } from '../domain/errors.ts';
import type { Failure } from '../domain/reason.ts';
import { alienAnswerFailure, type CallContext, cancelledFailure, connectionFailure, errorAnswerFailure } from './classify.ts';
import { isRecord, listAt, parsedJson, recordAt, textAt } from './json-shape.ts';
import { linkedAbort } from './linked-abort.ts';
import { createExchange, type Trouble } from './normalising-fetch.ts';
import type { Endpoint } from './openai-endpoint.ts';
import type { OfferedModel } from './provider.ts';

const LIMIT_MS = 10_000;

/** Servers without the list answer with one of these; the first call will tell. */
const NO_LIST: ReadonlySet<number> = new Set([404, 405, 501]);

/**
 * The models that `GET /models` lists; `null` when the server has no such list, or is busy. Throws `ProviderError` of
 * class `fatal` when nothing sent there could succeed: refused key, no connection, no answer within 10 s, not an API.
 */
export async function listModels(endpoint: Endpoint, signal: AbortSignal, limitMs = LIMIT_MS): Promise<readonly OfferedModel[] | null> {
  if (signal.aborted) throw new ProviderError(cancelledFailure(), { sent: false });
  const { controller, unlink } = linkedAbort(signal);
  const timer = setTimeout(() => controller.abort(), limitMs);
  const { agent, headers } = endpoint;
  const unheard = { onSent: () => undefined, onHeaders: () => undefined };
  const exchange = createExchange({ agent, headers, streaming: false, isAnswer: () => true, ...unheard });
  try {
    const response = await exchange.fetch(`${endpoint.baseUrl}/models`, { signal: controller.signal });
    return modelsIn(parsedJson(await response.text()));
  } catch (error) {
    const trouble = exchange.trouble();
    if (trouble === null) throw error;
    const failure = signal.aborted ? cancelledFailure() : fatalFailure(trouble, endpoint, controller.signal.aborted ? limitMs : null);
    if (failure === null) return null;
    throw new ProviderError(failure, { sent: exchange.sent(), cause: error });
  } finally {
    clearTimeout(timer);
    unlink();
  }
}

/** `null` for troubles that say nothing about the calls to come. */
function fatalFailure(trouble: Trouble, endpoint: Endpoint, timedOutAfterMs: number | null): Failure | null {
  const { host, secrets, clock } = endpoint;
  const context: CallContext = { host, structured: false, streaming: false, params: new Map(), secrets, nowMs: clock() };
  if (trouble.kind === 'empty') return null;
  if (trouble.kind === 'alien') return alienAnswerFailure(trouble.answer, context);
  if (trouble.kind === 'error') {
    const failure = errorAnswerFailure(trouble.answer, context);
    return failure.class === 'fatal' && !NO_LIST.has(trouble.answer.status) ? failure : null;
  }
  if (timedOutAfterMs !== null) return silence(host, timedOutAfterMs);
  return { ...connectionFailure(trouble.error, context, trouble.kind === 'cut'), class: 'fatal' };
}

function silence(host: string, limitMs: number): Failure {
  return { class: 'fatal', reason: 'connection', message: `${host} gave no answer within ${limitMs / 1000} s` };
}

/** `data[].id` as OpenAI lists them, a bare list of the same, or `models[].name`. */
function modelsIn(value: unknown): readonly OfferedModel[] | null {
  const entries: readonly unknown[] = Array.isArray(value) ? value : [...listAt(value, 'data'), ...listAt(value, 'models')];
  const models = new Map<string, OfferedModel>();
  for (const entry of entries) {
    const name = textAt(entry, 'id') ?? textAt(entry, 'name') ?? textAt(entry, 'model');
    if (name !== null) models.set(name, { name, contextTokens: models.get(name)?.contextTokens ?? contextIn(entry) });
  }
  return models.size === 0 ? null : [...models.values()];
}

/** As vLLM, OpenRouter and Together, Groq, Mistral, and llama.cpp say it. */
function contextIn(entry: unknown): number | null {
  const names = ['max_model_len', 'context_length', 'context_window', 'max_context_length'];
  const sizes = [...names.map((name) => countAt(entry, name)), countAt(recordAt(entry, 'meta'), 'n_ctx')];
  return sizes.find((size) => size !== null) ?? null;
}

function countAt(value: unknown, key: string): number | null {
  const found = isRecord(value) ? value[key] : undefined;
  return typeof found === 'number' && Number.isSafeInteger(found) && found > 0 ? found : null;
}
