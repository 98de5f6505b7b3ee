import { canonicalJson, type Json, sha256Hex } from '../domain/canonical-json.ts';
import type { CompletionRequest, ModelParams, OutputForm } from '../domain/completion.ts';

/** What a server calls the output limit: OpenAI's own refuse the old name, most others know no other. */
export type OutputLimitName = 'max_tokens' | 'max_completion_tokens';

/** Whether a field of a body is the output limit. */
export function isLimitName(name: string): name is OutputLimitName {
  return name === 'max_tokens' || name === 'max_completion_tokens';
}

/** What of a request goes into its body. */
export type BodyParts = Pick<CompletionRequest, 'model' | 'messages' | 'params' | 'output'>;

/** A body as an object, so that transport fields can be added. */
export type JsonObject = { readonly [key: string]: Json };

const SCHEMA_NAME = 'answer';

/**
 * The body of a chat completion request, without what only concerns the transport (`stream`,
 * `stream_options`, `prompt_cache_key`). Equal requests
 * give equal bytes: the order of keys is fixed, and nothing of this call (token, attempt, time) is in it.
 */
export function wireBody(request: BodyParts, limitName: OutputLimitName = 'max_tokens'): JsonObject {
  return {
    ...passedThrough(request.params),
    model: request.model,
    messages: request.messages.map(({ role, content }) => ({ role, content })),
    ...named(request.params, limitName),
    ...responseFormat(request.output),
  };
}

/** A stored body with the output limit under its default name, under which cassettes know it; `params` are what it was made of. */
export function withDefaultLimitName(body: JsonObject, params: ModelParams): JsonObject {
  const { max_completion_tokens: limit, ...rest } = body;
  return limit === undefined || params.maxOutputTokens === undefined ? body : { ...rest, max_tokens: limit };
}

/** Identifies a body wherever it was recorded: SHA-256 of its canonical JSON, transport fields left out. */
export function wireKey(body: Json): string {
  const { stream: _stream, stream_options: _options, prompt_cache_key: _cacheKey, ...rest } = isObject(body) ? body : { body };
  return sha256Hex(canonicalJson(rest));
}

function named(params: ModelParams, limitName: OutputLimitName): JsonObject {
  const { temperature, topP, seed, maxOutputTokens } = params;
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(seed === undefined ? {} : { seed }),
    ...(maxOutputTokens === undefined ? {} : { [limitName]: maxOutputTokens }),
  };
}

/** All other parameters go to the server under the name that the manifest gives them, sorted. */
function passedThrough(params: ModelParams): JsonObject {
  const { temperature: _t, topP: _p, seed: _s, maxOutputTokens: _m, stream: _stream, stream_options: _options, ...rest } = params;
  const entries = Object.entries(rest).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** `json_schema` without a schema is accepted by some servers and constrains nothing, so it is asked for as `json_object`. */
function responseFormat(output: OutputForm): JsonObject {
  if (output.format === 'text' || output.mode === 'prompt') return {};
  if (output.mode === 'json_object' || output.schema === null) return { response_format: { type: 'json_object' } };
  const { schema, strict } = output;
  return { response_format: { type: 'json_schema', json_schema: { name: SCHEMA_NAME, strict, schema } } };
}

/** True for a body that is an object, as all bodies of chat completions are. */
export function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
