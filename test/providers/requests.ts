import type { CompletionRequest, OutputForm } from '../../src/domain/completion.ts';

export const NEVER = new AbortController().signal;

export const SCHEMA = {
  type: 'object',
  properties: { score: { type: 'integer', minimum: 0, maximum: 10 }, quote: { type: 'string' } },
  required: ['score', 'quote'],
  additionalProperties: false,
} as const;

export const JSON_FORM: OutputForm = { format: 'json', schema: SCHEMA, strict: true, mode: 'json_schema' };

/** A request with long timers; the parts given replace the defaults. */
export function request(parts: Partial<CompletionRequest> = {}): CompletionRequest {
  return {
    callToken: 'call-1',
    attempt: 1,
    model: 'test-model',
    messages: [{ role: 'user', content: 'Is the register reset to zero?' }],
    params: { temperature: 0, maxOutputTokens: 200 },
    output: { format: 'text' },
    timeouts: { connectMs: 20_000, firstTokenMs: 20_000, idleMs: 20_000, totalMs: 20_000 },
    ...parts,
  };
}
