import { describe, expect, it } from 'vitest';
import type { OutputForm } from '../../src/domain/completion.ts';
import { wireBody, wireKey } from '../../src/providers/wire-body.ts';
import { JSON_FORM, request, SCHEMA } from './requests.ts';

describe('a wire body', () => {
  it('has the same bytes for equal requests, whatever the call is', () => {
    const one = request({ callToken: 'a', attempt: 1, params: { temperature: 0, top_k: 4, min_p: 0.1 } });
    const two = request({ callToken: 'b', attempt: 3, repeat: 2, params: { min_p: 0.1, temperature: 0, top_k: 4 } });
    expect(JSON.stringify(wireBody(one))).toBe(JSON.stringify(wireBody(two)));
  });

  it('names the parameters as servers do and passes unknown ones on', () => {
    const params = {
      temperature: 0.5,
      topP: 0.9,
      seed: 7,
      maxOutputTokens: 300,
      reasoning_effort: 'low',
      chat_template_kwargs: { thinking: false },
    };
    expect(wireBody(request({ params }))).toEqual({
      model: 'test-model',
      messages: [{ role: 'user', content: 'Is the register reset to zero?' }],
      temperature: 0.5,
      top_p: 0.9,
      seed: 7,
      max_tokens: 300,
      reasoning_effort: 'low',
      chat_template_kwargs: { thinking: false },
    });
  });

  it('names the output limit as it is told', () => {
    expect(wireBody(request({ params: { maxOutputTokens: 5 } }), 'max_completion_tokens')).toMatchObject({ max_completion_tokens: 5 });
  });

  it('does not let a parameter replace the model, the messages or the transport', () => {
    const body = wireBody(request({ params: { model: 'other', messages: [], stream: false, stream_options: {} } }));
    expect(body).toMatchObject({ model: 'test-model', messages: [{ role: 'user' }] });
    expect(Object.keys(body)).not.toContain('stream');
  });

  it.each<[string, OutputForm, object | undefined]>([
    ['json_schema', JSON_FORM, { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema: SCHEMA } }],
    ['json_schema without a schema', { format: 'json', schema: null, strict: true, mode: 'json_schema' }, { type: 'json_object' }],
    ['json_object', { format: 'json', schema: SCHEMA, strict: true, mode: 'json_object' }, { type: 'json_object' }],
    ['prompt', { format: 'json', schema: SCHEMA, strict: true, mode: 'prompt' }, undefined],
    ['text', { format: 'text' }, undefined],
  ])('asks for the form by %s', (_title, output, expected) => {
    expect(wireBody(request({ output })).response_format).toEqual(expected);
  });
});

describe('a wire key', () => {
  it('is the same with and without the transport fields, and in any key order', () => {
    const body = wireBody(request());
    const reversed = Object.fromEntries(Object.entries(body).reverse());
    expect(wireKey({ ...reversed, stream: true, stream_options: { include_usage: true }, prompt_cache_key: 'prefix-1' })).toBe(
      wireKey(body),
    );
  });

  it('differs when anything else differs', () => {
    const keys = [
      request(),
      request({ model: 'x' }),
      request({ params: {} }),
      request({ output: JSON_FORM }),
      request({ messages: [] }),
    ].map((item) => wireKey(wireBody(item)));
    expect(new Set(keys).size).toBe(keys.length);
  });
});
