import type { ChildProcess } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { ended, start } from '../../cli/binary.ts';
import { readOpenMetrics, samplesOf, seriesValue } from '../../observe/metrics/openmetrics.ts';
import { answerJson, apiError, startScriptedServer } from '../../providers/scripted-server.ts';
import { schemaUrl } from '../../store/postgres/server.ts';
import { until } from '../gated-server.ts';
import { hereJson } from '../here.ts';
import { documents, goodAnswer, type Project } from '../project.ts';
import { afterwards, placeFor } from '../providers/at-work.ts';

vi.setConfig({ testTimeout: 90_000 });

/** Refuses the first request for its rate, answers the next two, and holds the others back until `open` is called. */
async function heldServer() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const server = await startScriptedServer({
    respond: async ({ prompt, n }) => {
      if (n === 1) return apiError(429, { message: 'slow down' }, { 'retry-after': '0' });
      if (n > 3) await opened;
      return answerJson(goodAnswer(prompt));
    },
  });
  afterwards(server.close);
  return { ...server, open };
}

/** A process at work, and the address at which it is watched. */
async function watched(place: Project, ...args: string[]): Promise<{ child: ChildProcess; end: ReturnType<typeof ended>; url: string }> {
  const child = start([...args, '--metrics', '127.0.0.1:0', '--display', 'none'], { cwd: place.dir });
  afterwards(() => void child.kill('SIGKILL'));
  const end = ended(child);
  const url = await new Promise<string>((resolve, reject) => {
    let told = '';
    child.stderr?.on('data', (text: string) => {
      told += text;
      const [, found] = /Metrics at (\S+)\/metrics/.exec(told) ?? [];
      if (found !== undefined) resolve(found);
    });
    void end.then(({ stderr }) => reject(new Error(stderr)));
  });
  return { child, end, url };
}

const scrape = async (url: string, accept = 'text/plain'): Promise<string> =>
  (await fetch(`${url}/metrics`, { headers: { accept } })).text();
const at = async (url: string): Promise<string> => `${(await fetch(url)).status}`;

function placeOf(baseUrl: string, parts: object = {}): Project {
  return placeFor(baseUrl, {
    documents: documents(6),
    limits: { concurrency: 2 },
    model: { timeouts: { connectMs: 5000, firstTokenMs: 60_000, idleMs: 60_000, totalMs: 60_000 } },
    manifest: { budget: { usd: 1 }, ...parts },
  });
}

test.each(['SQLite', 'PostgreSQL'])(
  'the numbers of a store on %s are those of status and scale at that moment, in either format',
  async (kind) => {
    const server = await heldServer();
    const place = placeOf(server.baseUrl);
    if (kind === 'PostgreSQL') writeFileSync(join(place.dir, '.env'), `AIEVAL_STORE=${await schemaUrl(`metrics_${process.pid}`)}\n`);
    const { url, end } = await watched(place, 'run', 'manifest.json');
    // From here on nothing changes.
    await until(() => server.requests.length === 5);
    const status = await hereJson(place, 'status');
    const scale = await hereJson(place, 'scale');
    await expect.poll(async () => seriesValue(await scrape(url), 'aieval_jobs', { state: 'succeeded' }), { timeout: 10_000 }).toBe(2);
    const text = await scrape(url);
    const jobs = Object.fromEntries(
      samplesOf(text).flatMap(({ name, labels, value }) => (name === 'aieval_jobs' ? [[labels.state, value]] : [])),
    );
    expect({ total: 6, ...jobs }).toEqual(status.jobs);
    expect(jobs).toEqual({ queued: 2, running: 2, succeeded: 2, failed: 0, cancelled: 0 });
    expect(status).toMatchObject({
      cost: { spentUsd: seriesValue(text, 'aieval_spent_usd') },
      cacheHits: seriesValue(text, 'aieval_cached_jobs'),
      lostLeases: seriesValue(text, 'aieval_lost_leases'),
      workers: [{ alive: true }],
    });
    const { cost } = status as { cost: { spentUsd: number; reservedUsd: number } };
    expect(seriesValue(text, 'aieval_budget_left_usd')).toBeCloseTo(1 - cost.spentUsd - cost.reservedUsd, 9);
    expect(seriesValue(text, 'aieval_workers_alive')).toBe(1);
    expect(seriesValue(text, 'aieval_desired_workers')).toBe(scale.workers);
    expect(seriesValue(text, 'aieval_oldest_step_seconds', { state: 'running' })).toBeGreaterThan(0);
    expect(seriesValue(text, 'aieval_oldest_step_seconds', { state: 'queued' })).toBeGreaterThan(0);
    expect(seriesValue(text, 'aieval_steps_in_flight')).toBe(2);
    const labels = { provider: 'lab', model: 'small', task: 'quotes' };
    expect(seriesValue(text, 'aieval_calls_total', { ...labels, outcome: 'answered' })).toBe(2);
    expect(seriesValue(text, 'aieval_calls_total', { ...labels, outcome: 'rate_limited' })).toBe(1);
    expect(seriesValue(text, 'aieval_rate_limited_total')).toBe(1);
    expect(seriesValue(text, 'aieval_retries_total', { reason: 'rate_limited' })).toBe(1);
    expect(seriesValue(text, 'aieval_cache_misses_total', labels)).toBe(2);
    expect(seriesValue(text, 'aieval_call_duration_seconds_count')).toBe(2);
    expect(seriesValue(text, 'aieval_first_token_seconds_count')).toBe(2);
    expect(seriesValue(text, 'aieval_between_tokens_seconds_count')).toBe(2);
    expect(seriesValue(text, 'aieval_cost_usd_total', labels)).toBeCloseTo(cost.spentUsd, 9);
    readOpenMetrics(await scrape(url, 'application/openmetrics-text;version=1.0.0'));
    expect(text).not.toMatch(/docs\/0|Device|jobId/);
    server.open();
    expect((await end).exitCode).toBe(0);
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
  },
);

test('a process that was asked to stop is healthy and not ready, and what it watches are all unfinished runs', async () => {
  const server = await heldServer();
  const place = placeOf(server.baseUrl, { concurrency: 2 });
  const { child: first, end: firstEnd } = await watched(place, 'run', 'manifest.json');
  await until(() => server.requests.length === 5);
  first.kill('SIGINT');
  first.kill('SIGTERM');
  // Two at once may come in any order.
  expect([130, 143]).toContain((await firstEnd).exitCode);
  const { child, end, url } = await watched(place, 'worker');
  await until(() => server.requests.length >= 6);
  await expect.poll(async () => seriesValue(await scrape(url), 'aieval_jobs', { state: 'queued' }), { timeout: 10_000 }).toBe(2);
  expect(seriesValue(await scrape(url), 'aieval_jobs', { state: 'succeeded' })).toBe(2);
  expect([await at(`${url}/healthz`), await at(`${url}/readyz`)]).toEqual(['200', '200']);
  child.kill('SIGINT');
  await expect.poll(async () => at(`${url}/readyz`), { timeout: 10_000 }).toBe('503');
  expect(await at(`${url}/healthz`)).toBe('200');
  server.open();
  expect((await end).exitCode).toBe(130);
});

test('an address that is taken is an error before anything is spent or written', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  afterwards(() => void taken.close());
  await new Promise((resolve) => taken.once('listening', resolve));
  const address = taken.address();
  const port = address === null || typeof address === 'string' ? 0 : address.port;
  const server = await heldServer();
  const place = placeOf(server.baseUrl);
  const { exitCode, stderr } = await place.aieval('run', 'manifest.json', '--metrics', `127.0.0.1:${port}`);
  expect({ exitCode, stderr }).toEqual({
    exitCode: 2,
    stderr:
      `error[E39]: --metrics: cannot listen at 127.0.0.1:${port} (EADDRINUSE: another program listens there). Nothing was spent\n` +
      `next: the same command with --metrics 127.0.0.1:${port + 1}\n`,
  });
  expect(server.requests).toEqual([]);
  expect(existsSync(join(place.dir, '.aieval'))).toBe(false);
});

test('an address without a host, by whoever it is said, is refused', async () => {
  const place = placeFor('http://127.0.0.1:1/v1', {});
  for (const wrong of ['9464', ':9464', '0.0.0.0', 'a b:1', '127.0.0.1:99999', '::1:9464']) {
    expect(await place.aieval('run', 'manifest.json', '--metrics', wrong)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Expected HOST:PORT, such as 127.0.0.1:9464 or [::1]:9464'),
    });
  }
  place.write('.env', 'AIEVAL_METRICS=9464\n');
  expect(await place.aieval('run', 'manifest.json')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('AIEVAL_METRICS must be HOST:PORT'),
  });
});
