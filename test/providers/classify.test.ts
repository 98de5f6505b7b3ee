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
const CONTEXT: CallContext = { host: 'models.test:8000', structured: false, secrets: secretsOf([KEY]), nowMs: 0 };

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
    ['too large', 413, '<html>Request Entity Too Large</html>', 'permanent', 'input_too_long'],
    ['a filtered prompt', 400, openAi('The response was filtered', 'content_filter'), 'permanent', 'blocked_input'],
    ['OpenRouter: moderation', 403, openAi('Your input was flagged', 403), 'permanent', 'blocked_input'],
    ['OpenAI: unknown model', 404, openAi('The model `gpt-5-mni` does not exist', 'model_not_found'), 'fatal', 'model_unknown'],
    ['Ollama: unknown model', 404, { error: 'model "x" not found, try pulling it first' }, 'fatal', 'model_unknown'],
    ['OpenRouter: unknown model', 400, openAi('foo/bar is not a valid model ID', 400), 'fatal', 'model_unknown'],
    ['no such path', 404, openAi('File Not Found', 404, 'not_found_error'), 'fatal', 'wrong_url'],
    ['no such path, FastAPI', 404, { detail: 'Not Found' }, 'fatal', 'wrong_url'],
    ['a method that is not allowed', 405, '', 'fatal', 'wrong_url'],
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
    ['llama.cpp: still loading', 503, openAi('Loading model', 503, 'unavailable_error'), 'transient', 'server_error'],
    [
      'Anthropic: overloaded',
      529,
      { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
      'transient',
      'server_error',
    ],
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
      retryAfterMs: 7000,
      partial: JSON.stringify(body),
    });
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
        const failure = errorAnswerFailure(answered(status, body), { ...CONTEXT, structured });
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
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'fatal', 'wrong_url'],
  ])('that fails with %s is %s %s', (code, failureClass, reason) => {
    const failure = connectionFailure(nested(code), CONTEXT, false);
    expect(failure).toEqual({ class: failureClass, reason, code, message: `cannot reach models.test:8000 (${code})` });
  });

  it('that fails with anything at all is classified', () => {
    fc.assert(fc.property(fc.anything(), (error) => connectionFailure(error, CONTEXT, true).reason === 'connection'));
  });
});
