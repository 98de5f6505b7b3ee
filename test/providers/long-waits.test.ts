import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ResolvedProvider } from '../../src/domain/manifest/resolved.ts';
import type { Provider } from '../../src/providers/provider.ts';
import { createProvider } from '../../src/providers/registry.ts';
import { NEVER, request } from './requests.ts';
import { answer, delta, type Scenario, type ScriptedServer, startScriptedServer } from './scripted-server.ts';

const opened: { close(): Promise<void> }[] = [];

afterEach(async () => {
  vi.useRealTimers();
  for (const item of opened.splice(0).reverse()) await item.close();
});

async function served(respond: Scenario, concurrency: number): Promise<{ readonly server: ScriptedServer; readonly provider: Provider }> {
  const server = await startScriptedServer({ respond: () => respond });
  opened.push(server);
  const resolved: ResolvedProvider = {
    id: 'lab',
    type: 'openai',
    baseUrl: server.baseUrl,
    apiKeyEnv: null,
    identity: null,
    stream: true,
    headers: {},
    concurrency,
    requestsPerMinute: null,
    tokensPerMinute: null,
    tokenAccounting: 'reserved',
    cassette: null,
    latencyMs: 0,
  };
  const deps = { apiKey: null, headers: {}, clock: Date.now, sleep: async () => undefined, readFile: async () => '' };
  const provider = await createProvider(resolved, deps);
  opened.push(provider);
  return { server, provider };
}

function gate(): { readonly promise: Promise<void>; resolve(): void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((open) => {
    resolve = open;
  });
  return { promise, resolve: () => resolve() };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

const HOUR_MS = 3_600_000;
const PATIENT = request({ timeouts: { connectMs: 20_000, firstTokenMs: HOUR_MS, idleMs: HOUR_MS, totalMs: HOUR_MS } });

describe('an answer', () => {
  it('that takes longer to begin and to go on than undici waits by itself (300 s) arrives', async () => {
    const gates = [gate(), gate()];
    let reached = 0;
    const slow: Scenario = async (reply) => {
      reached = 1;
      await gates[0]?.promise;
      reply.writeHead(200, { 'content-type': 'text/event-stream' });
      reply.write(delta({ content: 'slow ' }), () => {
        reached = 2;
      });
      await gates[1]?.promise;
      reply.end(`${delta({ content: 'answer' })}${delta({}, 'stop')}data: [DONE]\n\n`);
    };
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { provider } = await served(slow, 1);
    const completion = provider.complete(PATIENT, NEVER);
    for (const [n, each] of gates.entries()) {
      await until(() => reached === n + 1);
      for (let second = 0; second < 400; second += 1) await vi.advanceTimersByTimeAsync(1000);
      each.resolve();
    }
    expect(await completion).toMatchObject({ content: 'slow answer', finishReason: 'stop' });
  });
});

describe('the connections of a provider', () => {
  it('are enough for all the calls that may be made at once, and a preflight', async () => {
    const held = gate();
    const { server, provider } = await served(async (reply, seen) => {
      await held.promise;
      await answer('yes')(reply, seen);
    }, 12);
    const calls = Array.from({ length: 12 }, () => provider.complete(request(), new AbortController().signal));
    await until(() => server.requests.length === 12);
    expect(await provider.preflight(NEVER)).toBeNull();
    held.resolve();
    await Promise.all(calls);
    expect(server.maxInFlight()).toBe(12);
  });
});
