import type { Attributes } from '@opentelemetry/api';
import type { EndedCall, WorkedStep } from '../../domain/work-news.ts';

/** A call by the semantic conventions for generative AI; what those do not know begins with `aieval`. No prompt and no answer is in it. */
export function callAttributes({ provider }: WorkedStep, call: EndedCall): Attributes {
  const { modelName, params, providerRequestId, result } = call;
  return defined({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': provider,
    'gen_ai.request.model': modelName,
    'gen_ai.request.temperature': params.temperature,
    'gen_ai.request.top_p': params.topP,
    'gen_ai.request.seed': params.seed,
    'gen_ai.request.max_tokens': params.maxOutputTokens,
    'aieval.provider_request_id': providerRequestId,
    'aieval.cost_usd': result.costNanoUsd === null ? null : result.costNanoUsd / 1e9,
    ...serverOf(call),
    ...(result.ok ? answerAttributes(result) : failureAttributes(result)),
  });
}

function answerAttributes({ modelName, finishReason, usage, firstTokenMs }: Extract<EndedCall['result'], { ok: true }>) {
  const input = usage === null ? null : usage.uncachedInput + usage.cacheRead + usage.cacheWrite;
  return {
    'gen_ai.response.model': modelName,
    'gen_ai.response.finish_reasons': [finishReason],
    'gen_ai.usage.input_tokens': input,
    'gen_ai.usage.output_tokens': usage?.output,
    'gen_ai.usage.cache_read.input_tokens': usage?.cacheRead,
    'gen_ai.usage.cache_creation.input_tokens': usage?.cacheWrite,
    'aieval.first_token_ms': firstTokenMs,
  };
}

function failureAttributes({ failure }: Extract<EndedCall['result'], { ok: false }>) {
  return { 'error.type': failure.reason, 'http.response.status_code': failure.status };
}

const PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

function serverOf({ baseUrl }: EndedCall) {
  if (baseUrl === null || !URL.canParse(baseUrl)) return {};
  const { hostname, port, protocol } = new URL(baseUrl);
  return { 'server.address': hostname, 'server.port': port === '' ? PORTS[protocol] : Number(port) };
}

type Value = string | number | boolean | string[];

function defined(attributes: Readonly<Record<string, Value | null | undefined>>): Attributes {
  const known = Object.entries(attributes).flatMap(([name, value]) =>
    value === null || value === undefined ? [] : [[name, value] as const],
  );
  return Object.fromEntries(known);
}
