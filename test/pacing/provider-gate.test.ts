import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Completion, CompletionRequest } from '../../src/domain/completion.ts';
import { ProviderError } from '../../src/domain/errors.ts';
import { gated } from '../../src/pacing/provider-gate.ts';
import { createOpenAiProvider } from '../../src/providers/openai.ts';
import type { CallListener, Provider } from '../../src/providers/provider.ts';
import { createSimulatedProvider } from '../../src/providers/simulated.ts';
import { NEVER, request } from '../providers/requests.ts';
import { answer, startScriptedServer } from '../providers/scripted-server.ts';

const opened: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const item of opened.splice(0).reverse()) await item.close();
});

type Held = { readonly asked: CompletionRequest; end(): void; fail(): void };

/** A provider whose calls end when the test says so. */
function held(): { readonly provider: Provider; readonly calls: Held[] } {
  const calls: Held[] = [];
  const simulated = createSimulatedProvider({ latencyMs: 0, sleep: async () => undefined, clock: () => 0 });
  const complete = async (asked: CompletionRequest, signal: AbortSignal, listener?: CallListener): Promise<Completion> => {
    const completion = await simulated.complete(asked, signal, listener);
    return new Promise((resolve, reject) => {
      const fail = (): void => reject(new Error('the call failed'));
      calls.push({ asked, end: () => resolve(completion), fail });
    });
  };
  return { provider: { ...simulated, complete }, calls };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

/** Longer than Bottleneck takes to start what it may start. */
async function pause(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 50));
}

function call(provider: Provider, callToken: string, signal = NEVER): Promise<Completion | unknown> {
  return provider.complete(request({ callToken }), signal).catch((error: unknown) => error);
}

describe('the gate before a provider', () => {
  it('lets as many calls through at once as it is told, and the others after them, in order, whether they end well or not', async () => {
    const { provider, calls } = held();
    const gate = gated(provider, 2);
    const all = ['a', 'b', 'c', 'd'].map((token) => call(gate, token));
    await until(() => calls.length === 2);
    await pause();
    expect(calls.map(({ asked }) => asked.callToken)).toEqual(['a', 'b']);
    calls[1]?.fail();
    await until(() => calls.length === 3);
    await pause();
    expect(calls.map(({ asked }) => asked.callToken)).toEqual(['a', 'b', 'c']);
    calls[0]?.end();
    await until(() => calls.length === 4);
    for (const each of calls) each.end();
    expect((await Promise.all(all)).map((result) => result instanceof Error)).toEqual([false, true, false, false]);
  });

  it('never lets more through, and never fewer, whatever comes and goes', async () => {
    const { provider, calls } = held();
    let running = 0;
    let most = 0;
    const counted: Provider = {
      ...provider,
      complete: async (...given) => {
        most = Math.max(most, ++running);
        return provider.complete(...given).finally(() => {
          running -= 1;
        });
      },
    };
    const gate = gated(counted, 3);
    const all = Array.from({ length: 60 }, (_, n) => call(gate, `call-${n}`, new AbortController().signal));
    for (let ended = 0; ended < 60; ended += 1) {
      await until(() => calls.length === Math.min(60, ended + 3));
      if (ended % 2 === 0) calls[ended]?.end();
      else calls[ended]?.fail();
    }
    await Promise.all(all);
    expect(most).toBe(3);
  });

  it('passes a call at once while there is room, however many came before', async () => {
    const { provider, calls } = held();
    const gate = gated(provider, 1);
    for (let n = 0; n < 3; n += 1) {
      const done = call(gate, `call-${n}`);
      await until(() => calls.length === n + 1);
      calls[n]?.end();
      await done;
    }
    const last = call(gate, 'last');
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    expect(calls.at(-1)?.asked.callToken).toBe('last');
    calls.at(-1)?.end();
    await last;
  });

  it('ends a call that waits as soon as it is aborted, as one that never left, and keeps no place for it', async () => {
    const { provider, calls } = held();
    const gate = gated(provider, 1);
    const first = call(gate, 'first');
    await until(() => calls.length === 1);
    const controller = new AbortController();
    const waiting = call(gate, 'waiting', controller.signal);
    const behind = call(gate, 'behind');
    await pause();
    controller.abort();
    const error = await waiting;
    expect(error).toBeInstanceOf(ProviderError);
    expect(error).toMatchObject({ sent: false, failure: { class: 'transient', reason: 'cancelled' } });
    expect(await call(gate, 'late', AbortSignal.abort())).toMatchObject({ sent: false, failure: { reason: 'cancelled' } });
    calls[0]?.end();
    await first;
    await until(() => calls.length === 2);
    expect(calls[1]?.asked.callToken).toBe('behind');
    calls[1]?.end();
    await behind;
  });

  it('leaves no listener on the signal', async () => {
    const { provider, calls } = held();
    const gate = gated(provider, 1);
    const { signal } = new AbortController();
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
    const all = ['a', 'b', 'c'].map((token) => call(gate, token, signal));
    for (let n = 0; n < 3; n += 1) {
      await until(() => calls.length === n + 1);
      calls[n]?.end();
    }
    await Promise.all(all);
    expect(listeners).toBe(0);
  });

  it('passes the listener, the preflight and the close through, the preflight past the waiting', async () => {
    const told: string[] = [];
    const listener: CallListener = { onHeaders: () => told.push('headers'), onFirstToken: () => told.push('first token') };
    const { provider, calls } = held();
    const other: Provider = {
      ...provider,
      preflight: async () => [{ name: 'a-model', contextTokens: 9 }],
      close: async () => void told.push('closed'),
    };
    const gate = gated(other, 1);
    const first = gate.complete(request(), NEVER, listener);
    await until(() => calls.length === 1);
    expect(await gate.preflight(NEVER)).toEqual([{ name: 'a-model', contextTokens: 9 }]);
    calls[0]?.end();
    await first;
    await gate.close();
    expect(told).toEqual(['first token', 'closed']);
  });

  it('starts no timer of a call that waits: what waited longer than its limits still has all of them', async () => {
    const server = await startScriptedServer({ respond: ({ n }) => answer('yes', n === 1 ? { delayMs: 400 } : {}) });
    opened.push(server);
    const provider = createOpenAiProvider({
      baseUrl: server.baseUrl,
      apiKey: null,
      headers: {},
      stream: true,
      connections: 1,
      clock: Date.now,
    });
    opened.push(provider);
    const gate = gated(provider, 1);
    const first = gate.complete(request(), NEVER);
    await until(() => server.requests.length === 1);
    const limits = { connectMs: 200, firstTokenMs: 200, idleMs: 200, totalMs: 200 };
    expect(await gate.complete(request({ timeouts: limits }), NEVER)).toMatchObject({ content: 'yes' });
    await first;
  });
});

describe('bottleneck', () => {
  it('is used by the gate alone, without what loses jobs in it', () => {
    const source = (path: string): string => readFileSync(join('src', path), 'utf8');
    const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
    expect(files.filter((path) => /from 'bottleneck'|import\('bottleneck'\)/.test(source(path)))).toEqual([
      join('pacing', 'provider-gate.ts'),
    ]);
    const unsafe = /\.updateSettings\(|reservoir(?:Refresh|Increase)|\bexpiration\b|highWater/;
    expect(files.filter((path) => unsafe.test(source(path)))).toEqual([]);
  });
});
