import { setMaxListeners } from 'node:events';
import { createServer } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it } from 'vitest';
import { gated } from '../../src/pacing/provider-gate.ts';
import { createOpenAiProvider } from '../../src/providers/openai.ts';
import type { Provider } from '../../src/providers/provider.ts';
import { request } from './requests.ts';
import { delta, event } from './scripted-server.ts';

const IN_FLIGHT = 32;
const USAGE = { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 };
const STREAM = `${delta({ content: 'yes' })}${delta({}, 'stop')}${event({ choices: [], usage: USAGE })}data: [DONE]\n\n`;

const opened: { close(): Promise<unknown> }[] = [];

afterEach(async () => {
  for (const item of opened.splice(0).reverse()) await item.close();
});

/** The scripted server keeps every request that it saw; this one keeps nothing. */
async function forgetfulServer(): Promise<string> {
  const server = createServer((message, reply) => {
    message.resume().on('end', () => {
      reply.writeHead(200, { 'content-type': 'text/event-stream' });
      reply.end(STREAM);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  opened.push({ close: () => new Promise((resolve) => server.close(resolve)) });
  const address = server.address();
  return typeof address === 'object' && address !== null ? `http://127.0.0.1:${address.port}/v1` : '';
}

/** Bytes of the heap that are still in use. */
function heapInUse(): number {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new Error('this Node cannot collect on demand');
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

async function callUntil(provider: Provider, signal: AbortSignal, calls: { made: number }, last: number): Promise<void> {
  const one = async (): Promise<void> => {
    while (calls.made < last) {
      calls.made += 1;
      const completion = await provider.complete(request(), signal);
      if (completion.content !== 'yes') throw new Error(`unexpected answer ${completion.content}`);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, one));
}

describe('an endpoint', () => {
  it('takes 50,000 calls on the signal of one run without growing', { timeout: 900_000 }, async () => {
    const baseUrl = await forgetfulServer();
    const options = { baseUrl, apiKey: null, headers: {}, stream: true, connections: IN_FLIGHT, clock: Date.now };
    const endpoint = createOpenAiProvider(options);
    opened.push(endpoint);
    const provider = gated(endpoint, IN_FLIGHT);
    const { signal } = new AbortController();
    setMaxListeners(IN_FLIGHT, signal);
    let listeners = 0;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...given: Parameters<typeof add>) => {
      listeners += 1;
      add(...given);
    };
    signal.removeEventListener = (...given: Parameters<typeof remove>) => {
      listeners -= 1;
      remove(...given);
    };
    const calls = { made: 0 };
    await callUntil(provider, signal, calls, 10_000);
    const after10k = heapInUse();
    await callUntil(provider, signal, calls, 50_000);
    const grownPerCall = (heapInUse() - after10k) / 40_000;
    expect(calls.made).toBe(50_000);
    expect(listeners).toBe(0);
    // One abort listener that is not taken off keeps 859 bytes a call.
    expect(grownPerCall).toBeLessThan(100);
  });
});
