import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createOpenAiProvider } from '../../src/providers/openai.ts';
import type { Provider } from '../../src/providers/provider.ts';
import { JSON_FORM, NEVER, request } from './requests.ts';
import {
  answer,
  apiError,
  cut,
  cutBody,
  delta,
  event,
  events,
  html,
  type Scenario,
  type ScriptedServer,
  startScriptedServer,
  status,
  wholeAnswer,
} from './scripted-server.ts';
import { leaks, spellingsOf } from './spellings.ts';

/** As a header can carry them both ways. */
const KEYS = fc.string({ unit: 'grapheme-ascii', minLength: 8, maxLength: 40 }).filter((key) => key.trim() === key);

/** Where a server may put what it was sent; `text` may be any spelling, `id` stands in headers. */
const PLACES: { readonly [name: string]: (text: string, id: string) => Scenario } = {
  'the content': (text) => answer(`You sent ${text}!`),
  'a whole answer': (text, id) => wholeAnswer(text, { model: text, refusal: text, headers: { 'x-request-id': id } }),
  'the model and the request id': (text, id) => answer('yes', { model: text, headers: { 'x-request-id': id } }),
  'a refusal': (text) => answer('', { refusal: text }),
  'a finish reason': (text) => answer('yes', { finishReason: text }),
  'every field of an error': (text, id) => apiError(400, { message: text, code: text, type: text, param: text }, { 'request-id': id }),
  'an error far in': (text) => status(502, [{ error: { message: 'x', metadata: { raw: text, [text]: text } } }]),
  'a list of details': (text) => status(422, { detail: [{ loc: ['body', text], msg: text, type: text }] }),
  'a key of an error': (text) => status(400, { [text]: text }),
  'a rate limit': (text, id) => apiError(429, { message: text, code: text }, { 'apim-request-id': id, 'retry-after': id }),
  'plain text': (text) => status(500, text),
  'the place where a message is cut': (text) => apiError(500, { message: `${'x'.repeat(285)} ${text}` }),
  'the place where a body is cut': (text) => status(500, `${'x'.repeat(4085)} ${text}`),
  'a page': (text) => html(200, `<html><title>${text}</title><body>${'x'.repeat(190)}${text}</body></html>`),
  'a redirect': (_text, id) => status(307, '', { location: `https://else.example/${'x'.repeat(170)}${id}` }),
  'an error in a stream': (text) => events([delta({ content: text }), event({ error: { message: text, code: text } })]),
  'an error in a choice': (text) =>
    events([event({ choices: [{ index: 0, delta: {}, finish_reason: 'error', error: { message: text } }] })]),
  'a broken event': (text) => events([delta({ content: 'a' }), `data: {"error": ${text}\n\n`]),
  'a stream cut off': (text) => cut(text, 'fin'),
  'a body cut off': (text) => cutBody(200, `{"echo":"${text}`),
  'a whole answer that is none': (text, id) => status(200, { echo: text }, { 'content-type': 'application/json', 'x-request-id': id }),
};

let server: ScriptedServer;
let scenario: Scenario;
let models: Scenario;
beforeEach(async () => {
  server = await startScriptedServer({ respond: () => scenario, models: (reply, seen) => models(reply, seen) });
});
afterEach(() => server.close());

async function withKey(key: string, stream: boolean, work: (provider: Provider) => Promise<void>): Promise<void> {
  const provider = createOpenAiProvider({
    baseUrl: server.baseUrl,
    apiKey: key,
    headers: {},
    stream,
    connections: 2,
    clock: () => 0,
  });
  try {
    await work(provider);
  } finally {
    await provider.close();
  }
}

/** Every text in a value, also in what an error hides: its message, stack, causes and hangers-on. */
function textsIn(value: unknown, seen = new Set<unknown>()): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || seen.has(value)) return [];
  seen.add(value);
  const inside = Reflect.ownKeys(value).flatMap((name) => [String(name), ...textsIn(Reflect.get(value, name), seen)]);
  const headers = value instanceof Headers ? [...value].flat() : [];
  return [...inside, ...headers];
}

async function given(work: Promise<unknown>): Promise<string> {
  const outcome = await work.catch((error: unknown) => error);
  return textsIn(outcome).join('\n');
}

/** All that comes of it with an innocent key, streamed and whole. */
async function outcomesOf(innocent: Scenario): Promise<string> {
  const texts: string[] = [];
  for (const stream of [true, false]) {
    scenario = innocent;
    await withKey('an-innocent-key', stream, async (provider) => {
      texts.push(await given(provider.complete(request({ output: JSON_FORM }), NEVER)));
    });
  }
  return texts.join('\n');
}

describe('whatever a server sends back, the key is in nothing that a provider returns or throws', () => {
  it.each(Object.entries(PLACES))('%s', async (_place, scenarioOf) => {
    // A made-up key may be a word of ours, as of a function's name in a stack: that is no leak.
    const ours = await outcomesOf(scenarioOf('another text', 'another-text'));
    await fc.assert(
      fc.asyncProperty(KEYS, fc.boolean(), fc.nat(), async (key, stream, pick) => {
        const forms = Object.values(spellingsOf(key));
        const text = forms[pick % forms.length] ?? key;
        scenario = scenarioOf(text, text);
        await withKey(key, stream, async (provider) => {
          const found = leaks(await given(provider.complete(request({ output: JSON_FORM }), NEVER)), key);
          const known = leaks(ours, key);
          expect(found.filter((form) => !known.includes(form))).toEqual([]);
        });
      }),
      // A form that Node's message of a JSON fault cuts in the middle.
      { numRuns: 15, examples: [['!       !', true, 2147220966]] },
    );
  });

  it('a list of models, and a refusal of it', async () => {
    await fc.assert(
      fc.asyncProperty(KEYS, async (key) => {
        const forms = Object.values(spellingsOf(key));
        await withKey(key, true, async (provider) => {
          for (const code of [200, 401]) {
            models = status(code, { data: forms.map((id) => ({ id })), error: code === 200 ? null : { message: forms.join(), code: key } });
            expect(leaks(await given(provider.preflight(NEVER)), key)).toEqual([]);
          }
        });
      }),
      { numRuns: 15 },
    );
  });
});

describe('what a server calls things', () => {
  it('an id is made of plain characters and has an end, a model name too', async () => {
    scenario = answer('yes', { model: 'm'.repeat(5000), headers: { 'x-request-id': `<a b>${'i'.repeat(500)}` } });
    await withKey('opensesame-1', true, async (provider) => {
      const { model, requestId } = await provider.complete(request(), NEVER);
      expect(model).toBe('m'.repeat(200));
      expect(requestId).toBe(`_a_b_${'i'.repeat(123)}`);
    });
  });
});
