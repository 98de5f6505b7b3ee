import { Agent, get as httpGet } from 'node:http';
import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import type { Family } from '../../../src/observe/metrics/exposition.ts';
import { type MetricsServer, type MetricsSource, serveMetrics } from '../../../src/observe/metrics/metrics-server.ts';
import { readOpenMetrics } from './openmetrics.ts';

const FAMILIES: readonly Family[] = [{ name: 'a_total', type: 'counter', help: 'help', samples: [{ value: 1, labels: {} }] }];

let server: MetricsServer | null = null;
afterEach(() => server?.close());

async function serve(source: Partial<MetricsSource> = {}): Promise<string> {
  server = await serveMetrics({ host: '127.0.0.1', port: 0 }, { families: async () => FAMILIES, notReady: async () => null, ...source });
  return server.url;
}

async function get(url: string, init: RequestInit = {}): Promise<{ status: number; type: string | null; body: string }> {
  const response = await fetch(url, init);
  return { status: response.status, type: response.headers.get('content-type'), body: await response.text() };
}

function statusOf(url: string, agent: Agent): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = httpGet(url, { agent }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode));
    });
    request.once('error', reject);
  });
}

test('a client gets the format that it would rather have', async () => {
  const url = await serve();
  expect(await get(`${url}/metrics`)).toEqual({
    status: 200,
    type: 'text/plain; version=0.0.4; charset=utf-8',
    body: '# TYPE a_total counter\n# HELP a_total help\na_total 1\n',
  });
  const open = await get(`${url}/metrics`, { headers: { accept: 'application/openmetrics-text; version=1.0.0' } });
  expect(open).toMatchObject({ status: 200, type: 'application/openmetrics-text; version=1.0.0; charset=utf-8' });
  expect(readOpenMetrics(open.body)).toHaveLength(1);
});

test('a hundred who ask at once, and those who ask soon after, cause one look', async () => {
  let looks = 0;
  const families = async (): Promise<readonly Family[]> => {
    looks += 1;
    await new Promise((resolve) => setTimeout(resolve, 50));
    return FAMILIES;
  };
  const url = await serve({ families });
  // As many connections as one client may be expected to open.
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const statuses = await Promise.all(Array.from({ length: 100 }, () => statusOf(`${url}/metrics`, agent)));
  agent.destroy();
  expect(statuses).toEqual(Array.from({ length: 100 }, () => 200));
  expect(looks).toBe(1);
});

test('a look that failed is told, and the next second has its own', async () => {
  let looks = 0;
  const url = await serve({
    families: async () => {
      looks += 1;
      if (looks === 1) throw new Error('no');
      return FAMILIES;
    },
  });
  expect((await get(`${url}/metrics`)).status).toBe(500);
  await expect.poll(async () => (await get(`${url}/metrics`)).status, { timeout: 5000 }).toBe(200);
});

test('it is healthy while it answers, and ready while nothing is in the way', async () => {
  const url = await serve({ notReady: async () => 'stopping' });
  expect(await get(`${url}/healthz`)).toMatchObject({ status: 200, body: 'ok\n' });
  expect(await get(`${url}/readyz`)).toMatchObject({ status: 503, body: 'stopping\n' });
  await server?.close();
  expect(await get(`${await serve()}/readyz`)).toMatchObject({ status: 200, body: 'ok\n' });
});

test('nothing else is answered, and nothing that is sent is read', async () => {
  const url = await serve();
  expect((await get(url)).status).toBe(404);
  expect((await get(`${url}/metrics`, { method: 'POST', body: 'x'.repeat(1_000_000) })).status).toBe(405);
  expect(await get(`${url}/metrics`, { method: 'HEAD' })).toMatchObject({ status: 200, body: '' });
});

test('it listens where it was told, nowhere else, and not where another does', async () => {
  const url = await serve();
  const port = Number(new URL(url).port);
  await expect(fetch(`http://127.0.0.2:${port}/healthz`)).rejects.toThrow();
  const again = serveMetrics({ host: '127.0.0.1', port }, { families: async () => FAMILIES, notReady: async () => null });
  await expect(again).rejects.toMatchObject({ code: 'EADDRINUSE' });
});

test('it ends at once, also while a client has asked half a question and another waits for an answer', async () => {
  const url = await serve({ families: () => new Promise(() => undefined) });
  const { port, hostname } = new URL(url);
  const slow = connect(Number(port), hostname);
  await new Promise((resolve) => slow.once('connect', resolve));
  slow.write('GET /metrics HTTP/1.1\r\nHost:');
  slow.on('error', () => undefined);
  const waiting = fetch(`${url}/metrics`).catch(() => 'ended');
  await get(`${url}/healthz`);
  await server?.close();
  expect(await waiting).toBe('ended');
  await expect(fetch(`${url}/healthz`)).rejects.toThrow();
});

test('clients that never end their question hold its places for seconds only', async () => {
  const url = await serve();
  const { port, hostname } = new URL(url);
  const slow = Array.from({ length: 16 }, () => connect(Number(port), hostname));
  for (const socket of slow) {
    socket.on('error', () => undefined);
    socket.resume();
    socket.write('GET /metrics HTTP/1.1\r\nHost:');
  }
  await Promise.all(slow.map((socket) => new Promise((resolve) => socket.once('close', resolve))));
  expect((await get(`${url}/healthz`)).status).toBe(200);
}, 30_000);
