import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { REASONS } from '../../src/domain/reason.ts';
import {
  alienAnswerFailure,
  type CallContext,
  connectionFailure,
  type ErrorAnswer,
  errorAnswerFailure,
} from '../../src/providers/classify.ts';
import { readErrorBody } from '../../src/providers/error-body.ts';
import { secretsOf } from '../../src/providers/secrets.ts';

const KEY = 'my-very-own-secret-key';
const CONTEXT: CallContext = {
  host: 'models.test:8000',
  structured: false,
  streaming: true,
  params: new Map(),
  secrets: secretsOf([KEY]),
  nowMs: 0,
};

function answered(status: number, body: unknown, parts: Partial<ErrorAnswer> = {}): ErrorAnswer {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { status, contentType: 'application/json', header: () => null, requestId: null, body: text, ...parts };
}

function openAi(message: string, code: string | number | null = null, type: string | null = null): object {
  return { error: { message, type, param: null, code } };
}

const LLAMA_LONG = 'request (90041 tokens) exceeds the available context size (8192 tokens), try increasing it';

describe('an error answer', () => {
  it.each<[string, number, unknown, string, string]>([
    ['OpenAI: a wrong key', 401, openAi('Incorrect API key provided', 'invalid_api_key', 'invalid_request_error'), 'fatal', 'auth'],
    ['llama.cpp: a wrong key', 401, openAi('Invalid API Key', 401, 'authentication_error'), 'fatal', 'auth'],
    ['a key without the right', 403, openAi('Project does not have access to model x', 'model_not_allowed'), 'fatal', 'auth'],
    [
      'Gemini: a wrong key',
      400,
      [{ error: { code: 400, message: 'API key not valid. Please pass a valid API key.', status: 'INVALID_ARGUMENT' } }],
      'fatal',
      'auth',
    ],
    [
      'OpenAI: no quota, by code',
      429,
      openAi('You exceeded your current quota', 'insufficient_quota', 'insufficient_quota'),
      'fatal',
      'quota',
    ],
    ['no quota, by type only', 429, openAi('No credit', null, 'insufficient_quota'), 'fatal', 'quota'],
    ['Moonshot: no quota', 429, openAi('You exceeded your current token quota', null, 'exceeded_current_quota_error'), 'fatal', 'quota'],
    ['a spend limit', 429, openAi('x', 'enforced_spend_limit_reached'), 'fatal', 'quota'],
    [
      'Anthropic: its own limit of spending',
      400,
      { type: 'error', error: { type: 'invalid_request_error', message: 'You have reached your specified API usage limits.' } },
      'fatal',
      'quota',
    ],
    [
      'Gemini: a model that the account may not use at all',
      429,
      [
        {
          error: {
            code: 429,
            status: 'RESOURCE_EXHAUSTED',
            message: 'Quota exceeded for metric: x, limit: 0, model: y. Please retry in 34s',
          },
        },
      ],
      'fatal',
      'quota',
    ],
    ['credit exhausted', 429, openAi('x', 'credit_balance_exhausted'), 'fatal', 'quota'],
    ['payment required', 402, openAi('Insufficient credits', 402), 'fatal', 'quota'],
    [
      'Anthropic: no credit',
      400,
      { type: 'error', error: { type: 'invalid_request_error', message: 'Your credit balance is too low' } },
      'fatal',
      'quota',
    ],
    ['OpenAI: rate limit', 429, openAi('Rate limit reached for gpt-x', 'rate_limit_exceeded', 'requests'), 'rate', 'rate_limited'],
    [
      'Gemini: rate limit',
      429,
      [{ error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'You exceeded your current quota. Please retry in 34.07s' } }],
      'rate',
      'rate_limited',
    ],
    ['a rate limit without a body', 429, '', 'rate', 'rate_limited'],
    [
      'a request above the tokens per minute',
      429,
      openAi('Request too large for gpt-x on tokens per min: Limit 30000, Requested 37313', 'rate_limit_exceeded', 'tokens'),
      'permanent',
      'input_too_long',
    ],
    [
      'Azure: a request above the limit by its numbers only',
      429,
      openAi('Rate limit on tokens per min (TPM): Limit 30,000, Used 0, Requested 37,313', 'rate_limit_exceeded'),
      'permanent',
      'input_too_long',
    ],
    [
      'Groq: a request above the tokens per minute',
      413,
      openAi('Request too large for model x on tokens per minute (TPM): Limit 6000, Requested 12000', 'rate_limit_exceeded', 'tokens'),
      'permanent',
      'input_too_long',
    ],
    ['Azure: no room for anybody', 429, openAi('The service is experiencing high demand', 'NoCapacity'), 'transient', 'server_error'],
    [
      'OpenAI: too long',
      400,
      openAi("This model's maximum context length is 128000 tokens", 'context_length_exceeded'),
      'permanent',
      'input_too_long',
    ],
    [
      'vLLM: too long, flat',
      400,
      {
        object: 'error',
        message: "This model's maximum context length is 8192 tokens. However, you requested 9000",
        type: 'BadRequestError',
        code: 400,
      },
      'permanent',
      'input_too_long',
    ],
    ['llama.cpp: too long', 400, openAi(LLAMA_LONG, 400, 'exceed_context_size_error'), 'permanent', 'input_too_long'],
    ['llama.cpp: too long as 500', 500, openAi('Context size has been exceeded.', 500, 'server_error'), 'permanent', 'input_too_long'],
    [
      'Gemini: too long',
      400,
      openAi('The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).', 400),
      'permanent',
      'input_too_long',
    ],
    [
      'Anthropic: too long',
      400,
      openAi('prompt is too long: 210000 tokens > 200000 maximum', null, 'invalid_request_error'),
      'permanent',
      'input_too_long',
    ],
    [
      'xAI: too long',
      400,
      { error: "This model's maximum prompt length is 131072 but the request contains 150000 tokens." },
      'permanent',
      'input_too_long',
    ],
    [
      'vLLM: a prompt that leaves no room',
      400,
      openAi('max_tokens must be at least 1, got -808.', 400, 'BadRequestError'),
      'permanent',
      'input_too_long',
    ],
    [
      'TGI: too long',
      422,
      { error: 'Input validation error: `inputs` must have less than 4096 tokens', error_type: 'validation' },
      'permanent',
      'input_too_long',
    ],
    ['too large', 413, '<html>Request Entity Too Large</html>', 'permanent', 'input_too_long'],
    ['a filtered prompt', 400, openAi('The response was filtered', 'content_filter'), 'permanent', 'blocked_input'],
    ['Azure: a filtered prompt', 400, openAi('x', 'content_filter', 'ResponsibleAIPolicyViolation'), 'permanent', 'blocked_input'],
    [
      'OpenAI: a prompt that is not allowed',
      400,
      openAi('Invalid prompt: your prompt was flagged', 'invalid_prompt'),
      'permanent',
      'blocked_input',
    ],
    ['xAI: a prompt that is not allowed', 403, { error: 'Content violates usage guidelines.' }, 'permanent', 'blocked_input'],
    [
      'Anthropic: a filtered answer',
      400,
      openAi('Output blocked by content filtering policy', null, 'invalid_request_error'),
      'permanent',
      'blocked_output',
    ],
    ['OpenRouter: moderation', 403, openAi('Your input was flagged', 403), 'permanent', 'blocked_input'],
    ['OpenAI: unknown model', 404, openAi('The model `gpt-5-mni` does not exist', 'model_not_found'), 'fatal', 'model_unknown'],
    [
      'OpenAI: a model that the key may not use',
      403,
      openAi('Project does not have access to model `x`', 'model_not_found'),
      'fatal',
      'model_unknown',
    ],
    [
      'Azure: unknown deployment',
      404,
      { error: { code: 'DeploymentNotFound', message: 'The API deployment does not exist.' } },
      'fatal',
      'model_unknown',
    ],
    [
      'Anthropic: unknown model',
      404,
      { type: 'error', error: { type: 'not_found_error', message: 'model: claude-x' } },
      'fatal',
      'model_unknown',
    ],
    ['Groq: a model that is no more', 400, openAi('x', 'model_decommissioned', 'invalid_request_error'), 'fatal', 'model_unknown'],
    ['OpenRouter: an account that shares no data', 404, openAi('No endpoints found matching your data policy', 404), 'fatal', 'auth'],
    ['a region', 403, openAi('Country, region, or territory not supported', 'unsupported_country_region_territory'), 'fatal', 'auth'],
    ['the law', 451, '', 'fatal', 'auth'],
    [
      'OpenRouter: parameters that no endpoint takes',
      404,
      openAi('No endpoints found that can handle the requested parameters.', 404),
      'fatal',
      'unsupported',
    ],
    ['Ollama: unknown model', 404, { error: 'model "x" not found, try pulling it first' }, 'fatal', 'model_unknown'],
    ['OpenRouter: unknown model', 400, openAi('foo/bar is not a valid model ID', 400), 'fatal', 'model_unknown'],
    ['no such path', 404, openAi('File Not Found', 404, 'not_found_error'), 'fatal', 'wrong_url'],
    ['no such path, FastAPI', 404, { detail: 'Not Found' }, 'fatal', 'wrong_url'],
    ['a method that is not allowed', 405, '', 'fatal', 'wrong_url'],
    ['a service that is no more', 410, '', 'fatal', 'wrong_url'],
    ['no chat here', 501, openAi('not supported', 501, 'not_supported_error'), 'fatal', 'wrong_url'],
    [
      'a plain http request to an https port',
      400,
      '<html><h1>400 The plain HTTP request was sent to HTTPS port</h1></html>',
      'fatal',
      'wrong_url',
    ],
    ["a proxy's web page", 403, '<!doctype html><title>Access denied</title>', 'fatal', 'wrong_url'],
    [
      'llama.cpp: its parse error',
      500,
      openAi('[json.exception.parse_error.101] parse error at line 1, column 2', 500, 'server_error'),
      'permanent',
      'bad_request',
    ],
    [
      'llama.cpp: a message without role',
      500,
      openAi("Failed to parse messages: Missing 'role' in message", 500, 'server_error'),
      'permanent',
      'bad_request',
    ],
    [
      'llama.cpp: an image',
      500,
      openAi('image input is not supported - hint: provide the mmproj', 500, 'server_error'),
      'permanent',
      'bad_request',
    ],
    ['a wrong parameter', 400, openAi('Unsupported value: temperature', 'unsupported_value'), 'permanent', 'bad_request'],
    [
      'FastAPI: a wrong field',
      422,
      { detail: [{ loc: ['body', 'seed'], msg: 'value is not a valid integer', type: 'int' }] },
      'permanent',
      'bad_request',
    ],
    ['a model that cannot be loaded', 503, openAi('error loading model: no such file'), 'transient', 'server_error'],
    ['another server error while a model loads', 500, openAi('model is loading'), 'transient', 'server_error'],
    [
      'Anthropic: overloaded',
      529,
      { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
      'transient',
      'server_error',
    ],
    ['Anthropic: overloaded inside a 200', 200, openAi('Overloaded', null, 'overloaded_error'), 'transient', 'server_error'],
    ['OpenRouter: nobody to serve it now', 503, openAi('No available model provider', 503), 'transient', 'server_error'],
    ["a gateway's long wait", 504, '<html>Gateway Time-out</html>', 'transient', 'server_error'],
    ['too early', 425, '', 'transient', 'server_error'],
    ['a call that the gateway ended', 499, '', 'transient', 'server_error'],
    ["Cloudflare's page", 520, '<!doctype html><title>520</title>', 'transient', 'server_error'],
    ["a gateway's page", 502, '<html>Bad Gateway</html>', 'transient', 'server_error'],
    ['a slow request', 408, '', 'transient', 'server_error'],
    ['a conflict', 409, '', 'transient', 'server_error'],
    ['a time-out of the gateway', 524, '<html>A timeout occurred</html>', 'transient', 'server_error'],
    ['an error inside a 200, by its code', 200, openAi('upstream failed', 502), 'transient', 'server_error'],
    ['a rate limit inside a 200', 200, openAi('slow down', '429'), 'rate', 'rate_limited'],
    ['a rate limit inside a 200, by its type', 200, openAi('slow down', null, 'rate_limit_error'), 'rate', 'rate_limited'],
    ['too long inside a 200', 200, openAi(LLAMA_LONG, null), 'permanent', 'input_too_long'],
    ['a bad request inside a 200', 200, openAi('no', null, 'invalid_request_error'), 'permanent', 'bad_request'],
    ['an unknown error inside a 200', 200, { error: 'boom' }, 'transient', 'server_error'],
  ])('%s', (_title, status, body, failureClass, reason) => {
    const contentType = typeof body === 'string' && body.startsWith('<') ? 'text/html' : 'application/json';
    expect(errorAnswerFailure(answered(status, body, { contentType }), CONTEXT)).toMatchObject({ class: failureClass, reason, status });
  });

  it.each<[string, number, unknown]>([
    ['OpenAI', 400, openAi("Invalid schema for response_format 'answer'", 'invalid_json_schema')],
    ['vLLM', 422, { detail: [{ loc: ['body', 'response_format', 'type'], msg: 'unexpected value' }] }],
    ['by param', 400, { error: { message: 'Unsupported parameter', param: 'response_format' } }],
    [
      'llama.cpp: a schema',
      400,
      openAi('Unable to generate parser for this template. Automatic parser generation failed: JSON schema conversion failed', 400),
    ],
    ['llama.cpp: a template', 400, openAi('Failed to initialize samplers: std::exception', 400)],
    ['a server error', 500, openAi('json_schema is not supported by this backend', 500)],
  ])('that names the form asked for is a capability failure (%s), and a bad request when none was asked for', (_title, status, body) => {
    const asked = errorAnswerFailure(answered(status, body), { ...CONTEXT, structured: true });
    expect(asked).toMatchObject({ class: 'capability', reason: 'unsupported' });
    expect(errorAnswerFailure(answered(status, body), CONTEXT).class).not.toBe('capability');
  });

  it('carries code, request id, wait and body', () => {
    const header = (name: string): string | null => (name === 'retry-after' ? '7' : null);
    const body = openAi('Rate limit reached', 'rate_limit_exceeded', 'requests');
    expect(errorAnswerFailure(answered(429, body, { header, requestId: 'req-1' }), CONTEXT)).toEqual({
      class: 'rate',
      reason: 'rate_limited',
      message: 'models.test:8000 answered 429 rate_limit_exceeded: Rate limit reached',
      status: 429,
      code: 'rate_limit_exceeded',
      requestId: 'req-1',
      limited: 'requests',
      retryAfterMs: 7000,
      partial: JSON.stringify(body),
    });
  });

  it.each<[string, string, string | null, string | null, unknown]>([
    [
      'requests',
      'Rate limit reached for gpt-x on requests per min (RPM): Limit 3, Used 3, Requested 1',
      'rate_limit_exceeded',
      'requests',
      {},
    ],
    [
      'tokens',
      'Rate limit reached for gpt-x on tokens per min (TPM): Limit 30000, Used 29937, Requested 385',
      'rate_limit_exceeded',
      'tokens',
      {},
    ],
    ['tokens', 'slow down', null, 'tokens', {}],
    ['requests', 'slow down', null, 'requests', {}],
    ['tokens', "This request would exceed your organization's rate limit of 50,000 input tokens per minute", null, 'rate_limit_error', {}],
    ['tokens', 'Number of request tokens has exceeded your per-minute rate limit', null, 'rate_limit_error', {}],
    ['requests', 'Number of requests has exceeded your per-minute rate limit', null, 'rate_limit_error', {}],
    ['concurrency', 'Number of concurrent connections has exceeded your rate limit', null, 'rate_limit_error', {}],
    [
      'concurrency',
      'Your account reached max organization concurrency: 1, please try again after 1 seconds',
      null,
      'rate_limit_reached_error',
      {},
    ],
    [
      'requests',
      'Requests to the ChatCompletions_Create Operation have exceeded call rate limit of your current pricing tier',
      '429',
      null,
      {},
    ],
    [
      'tokens',
      'Requests to the ChatCompletions_Create Operation have exceeded token rate limit of your current pricing tier',
      '429',
      null,
      {},
    ],
    ['requests', 'slow down', null, null, { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-remaining-tokens': '900' }],
    ['tokens', 'slow down', null, null, { 'x-ratelimit-remaining-requests': '9', 'x-ratelimit-remaining-tokens': '0' }],
  ])('429 that counts %s says so: %s (%s, %s, %j)', (limited, message, code, type, headers) => {
    const values = new Map(Object.entries(headers ?? {}));
    const header = (name: string): string | null => values.get(name) ?? null;
    expect(errorAnswerFailure(answered(429, openAi(message, code, type), { header }), CONTEXT)).toMatchObject({ class: 'rate', limited });
  });

  it.each<[string, unknown, { readonly [name: string]: string }, number | undefined]>([
    ['llama.cpp', openAi('Loading model', 503, 'unavailable_error'), {}, undefined],
    ['Hugging Face', { error: 'Model org/name is currently loading', estimated_time: 20 }, {}, undefined],
    ['a proxy', 'The model is still loading, please wait', { 'retry-after': '7' }, 7000],
    ['a gateway', { detail: 'Model is loading' }, {}, undefined],
  ])('503 of a model that is still loading holds all calls up and counts none of them (%s)', (_title, body, headers, retryAfterMs) => {
    const header = (name: string): string | null => headers[name] ?? null;
    const { class: kind, reason, limited, retryAfterMs: wait } = errorAnswerFailure(answered(503, body, { header }), CONTEXT);
    expect({ kind, reason, limited, wait }).toEqual({ kind: 'rate', reason: 'server_error', limited: 'concurrency', wait: retryAfterMs });
  });

  it('429 that says nothing of what it counts leaves that open', () => {
    expect(errorAnswerFailure(answered(429, 'Too Many Requests'), CONTEXT)).not.toHaveProperty('limited');
  });

  const gemini = (quotaId: string, retryDelay?: string): object => ({
    error: {
      code: 429,
      status: 'RESOURCE_EXHAUSTED',
      message: 'You exceeded your current quota, please check your plan and billing details.',
      details: [{ violations: [{ quotaId }] }, ...(retryDelay === undefined ? [] : [{ retryDelay }])],
    },
  });

  it.each<[string, object, string, Partial<Record<'class' | 'reason' | 'limited' | 'retryAfterMs', unknown>>]>([
    [
      'Gemini: a minute',
      gemini('GenerateRequestsPerMinutePerProjectPerModel-FreeTier', '34s'),
      '2026-11-29T20:00:00Z',
      { class: 'rate', limited: 'requests', retryAfterMs: 34_000 },
    ],
    [
      'Gemini: a day, until midnight in California',
      gemini('GenerateRequestsPerDayPerProjectPerModel-FreeTier', '34s'),
      '2026-11-29T20:00:00Z',
      { class: 'rate', limited: 'requests', retryAfterMs: 12 * 3_600_000 },
    ],
    [
      'Gemini: a day in summer',
      gemini('GenerateContentInputTokensPerModelPerDay'),
      '2026-07-01T06:59:59Z',
      { class: 'rate', limited: 'tokens', retryAfterMs: 1000 },
    ],
    [
      'Groq: a day, with its time',
      openAi(
        'Rate limit reached on tokens per day (TPD): Limit 100000, Used 99000, Requested 2000. Please try again in 14m24s',
        'rate_limit_exceeded',
      ),
      '2026-11-29T20:00:00Z',
      { class: 'rate', limited: 'tokens', retryAfterMs: 864_000 },
    ],
    [
      'OpenRouter: a day, with its time in the body',
      {
        error: {
          code: 429,
          message: 'Rate limit exceeded: free-models-per-day',
          metadata: { headers: { 'X-RateLimit-Reset': String(Date.parse('2026-11-30T00:00:00Z')) } },
        },
      },
      '2026-11-29T20:00:00Z',
      { class: 'rate', retryAfterMs: 4 * 3_600_000 },
    ],
    [
      'a day without its time',
      openAi('You hit your limit of 50 requests per day', 'rate_limit_exceeded'),
      '2026-11-29T20:00:00Z',
      { class: 'fatal', reason: 'quota' },
    ],
  ])('for a limit of longer than it may seem: %s', (_title, body, now, expected) => {
    expect(errorAnswerFailure(answered(429, body), { ...CONTEXT, nowMs: Date.parse(now) })).toMatchObject(expected);
  });

  const PARAMS: CallContext['params'] = new Map([
    ['temperature', 'temperature'],
    ['top_p', 'topP'],
    ['seed', 'seed'],
    ['max_tokens', 'maxOutputTokens'],
    ['reasoning_effort', 'reasoning_effort'],
  ]);

  it.each<[string, number, unknown, string]>([
    [
      'OpenAI: a value',
      400,
      {
        error: {
          message: "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.",
          type: 'invalid_request_error',
          param: 'temperature',
          code: 'unsupported_value',
        },
      },
      'temperature',
    ],
    [
      'OpenAI: a name',
      400,
      {
        error: {
          message: "Unsupported parameter: 'top_p' is not supported with this model.",
          param: 'top_p',
          code: 'unsupported_parameter',
        },
      },
      'topP',
    ],
    ['by its path', 400, { error: { message: 'no', param: 'reasoning_effort.level' } }, 'reasoning_effort'],
    ['FastAPI: a wrong field', 422, { detail: [{ loc: ['body', 'seed'], msg: 'value is not a valid integer', type: 'int' }] }, 'seed'],
    [
      'llama.cpp: a wrong type',
      400,
      openAi("Field 'temperature': [json.exception.type_error.302] type must be number, but is string", 400),
      'temperature',
    ],
    [
      'Anthropic: two that exclude each other',
      400,
      openAi('`temperature` and `top_p` cannot both be specified for this model.', null, 'invalid_request_error'),
      'temperature',
    ],
    [
      'Anthropic: too many',
      400,
      openAi('max_tokens: 100000 > 8192, which is the maximum allowed number of output tokens', null, 'invalid_request_error'),
      'maxOutputTokens',
    ],
    [
      'OpenAI: too many',
      400,
      {
        error: {
          message: 'max_tokens is too large: 99999. This model supports at most 16384 completion tokens',
          param: 'max_tokens',
          code: null,
        },
      },
      'maxOutputTokens',
    ],
    ['inside a 200', 200, openAi('seed is not supported', null, 'invalid_request_error'), 'seed'],
  ])('that refuses a parameter is for the person who wrote the model: %s', (_title, status, body, name) => {
    const failure = errorAnswerFailure(answered(status, body), { ...CONTEXT, params: PARAMS });
    expect(failure).toMatchObject({ class: 'fatal', reason: 'unsupported' });
    expect(failure.message).toMatch(new RegExp(`Remove params\\.${name} of the model, or change it$`));
    expect(failure).not.toHaveProperty('sameMode');
  });

  it.each<[string, unknown]>([
    ['names it beside nothing wrong with it', openAi('Expected messages to be an array; temperature was 0', 400)],
    ['names one that was not sent', openAi('Unsupported parameter: logit_bias', 'unsupported_parameter')],
    ['names none', openAi("'messages' is required", 400)],
  ])('that %s is a bad request', (_title, body) => {
    expect(errorAnswerFailure(answered(400, body), { ...CONTEXT, params: PARAMS })).toMatchObject({
      class: 'permanent',
      reason: 'bad_request',
    });
  });

  it.each<[string, number, object]>([
    [
      'OpenAI',
      400,
      {
        message: "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        param: 'max_tokens',
        code: 'unsupported_parameter',
      },
    ],
    ['a gateway', 400, { message: 'Unrecognized request argument supplied: max_tokens', type: 'invalid_request_error' }],
    ['FastAPI', 422, { message: 'max_tokens: Extra inputs are not permitted' }],
  ])('that does not know the name of the output limit asks for the other one (%s)', (_title, status, error) => {
    const failure = errorAnswerFailure(answered(status, { error }), { ...CONTEXT, params: PARAMS });
    expect(failure).toMatchObject({ class: 'capability', reason: 'unsupported', sameMode: true });
  });

  it('of a proxy that cut a call without a stream says that a stream helps', () => {
    const page = answered(524, '<html>A timeout occurred</html>');
    expect(errorAnswerFailure(page, { ...CONTEXT, streaming: false }).message).toContain('set stream of the provider to true');
    expect(errorAnswerFailure(page, CONTEXT).message).not.toContain('stream');
  });

  it('never shows a secret, and keeps at most 4 kB of the body', () => {
    const failure = errorAnswerFailure(answered(400, openAi(`no ${KEY} ${'x'.repeat(10_000)}`)), CONTEXT);
    expect(JSON.stringify(failure)).not.toContain(KEY);
    expect(failure.partial?.length).toBeLessThanOrEqual(4096);
    expect(failure.message.length).toBeLessThan(500);
  });

  it('of any shape is classified without a throw', () => {
    const shapes = fc.oneof(
      fc.json(),
      fc.string(),
      fc.record({ error: fc.anything() }).map((value) => text(value)),
      fc.anything().map((value) => text(value)),
    );
    fc.assert(
      fc.property(fc.integer({ min: 200, max: 599 }), shapes, fc.boolean(), (status, body, structured) => {
        const failure = errorAnswerFailure(answered(status, body), { ...CONTEXT, structured, params: PARAMS });
        return REASONS.includes(failure.reason) && failure.message !== '' && !Number.isNaN(failure.retryAfterMs ?? 0);
      }),
      { numRuns: 500 },
    );
  });

  it('nested without end is classified without a throw', () => {
    const deep = `${'{"error":'.repeat(5000)}1${'}'.repeat(5000)}`;
    expect(errorAnswerFailure(answered(500, deep), CONTEXT).reason).toBe('server_error');
  });
});

function text(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return String(Object.prototype.toString.call(value));
  }
}

describe('an error body', () => {
  it.each<[unknown, string]>([
    [{ error: { message: 'a' } }, 'a'],
    [{ error: 'a' }, 'a'],
    [[{ error: { message: 'a' } }], 'a'],
    [{ detail: 'a' }, 'a'],
    [{ detail: [{ loc: ['body', 1, 'x'], msg: 'a' }] }, 'body.x: a'],
    [{ message: 'a' }, 'a'],
    [{ error: { message: 'a', metadata: { raw: 'upstream' } } }, 'a (upstream)'],
    ['a', 'a'],
    ['<html><style>p {}</style><p>a  <b>b</b></p>', 'a b'],
    [{ unknown: 1 }, '{"unknown":1}'],
  ])('%j says %s', (body, message) => {
    expect(readErrorBody(typeof body === 'string' ? body : JSON.stringify(body)).message).toBe(message);
  });
});

describe('a success that is no completion', () => {
  it('shows the first 200 characters of what came, without tags', () => {
    const page = `<!doctype html><title>Sign in</title>${'<p>word</p>'.repeat(200)}`;
    const failure = alienAnswerFailure(answered(200, page, { contentType: 'text/html' }), CONTEXT);
    expect(failure).toMatchObject({ class: 'fatal', reason: 'wrong_url' });
    expect(failure.message).toContain('a web page: "Sign in word word');
    expect(failure.message.length).toBeLessThan(400);
  });
});

describe('a connection', () => {
  const nested = (code: string): Error =>
    new TypeError('fetch failed', { cause: new AggregateError([Object.assign(new Error('x'), { code })]) });

  it.each([
    ['ECONNREFUSED', 'transient', 'connection'],
    ['ENOTFOUND', 'transient', 'connection'],
    ['CERT_HAS_EXPIRED', 'fatal', 'connection'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'fatal', 'connection'],
    ['HOSTNAME_MISMATCH', 'fatal', 'connection'],
    ['UND_ERR_CONNECT_TIMEOUT', 'transient', 'connection'],
    ['EAI_AGAIN', 'transient', 'connection'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'fatal', 'wrong_url'],
  ])('that fails with %s is %s %s', (code, failureClass, reason) => {
    const failure = connectionFailure(nested(code), CONTEXT, false);
    expect(failure).toEqual({ class: failureClass, reason, code, message: `cannot reach models.test:8000 (${code})` });
  });

  it('to a port that no client opens is a wrong URL', () => {
    const failure = connectionFailure(new TypeError('fetch failed', { cause: new Error('bad port') }), CONTEXT, false);
    expect(failure).toMatchObject({ class: 'fatal', reason: 'wrong_url' });
  });

  it('that fails with anything at all is classified', () => {
    fc.assert(fc.property(fc.anything(), (error) => connectionFailure(error, CONTEXT, true).reason === 'connection'));
  });
});
