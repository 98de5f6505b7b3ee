import { afterEach, describe, expect, test } from 'vitest';
import { until } from '../e2e/gated-server.ts';
import { hereJson } from '../e2e/here.ts';
import { documents, goodAnswer, lastRecord, manifest, type Project, project } from '../e2e/project.ts';
import { answerJson, apiError, type Script, type ScriptedServer, startScriptedServer } from '../providers/scripted-server.ts';
import { ended, start } from './binary.ts';

const LIMIT_MS = 60_000;
const TWO_DAYS_S = 172_800;

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

/** A dollar a call at most, ten cents in truth. */
const DEAR = { provider: 'lab', model: 'small', price: { inputPerMTok: 0, outputPerMTok: 10_000 }, params: { maxOutputTokens: 100 } };

type Setting = { readonly respond: Script['respond']; readonly parts?: object; readonly count?: number };

async function at({ respond, parts = {}, count = 5 }: Setting): Promise<{ place: Project; server: ScriptedServer }> {
  const server = await startScriptedServer({ respond });
  undo.push(server.close);
  const files = { 'manifest.json': manifest(server.baseUrl, { models: { small: DEAR }, concurrency: 1, ...parts }), ...documents(count) };
  const place = project({ files });
  undo.push(place.remove);
  return { place, server };
}

const good: Script['respond'] = ({ prompt }) => answerJson(goodAnswer(prompt));
const later: Script['respond'] = () => apiError(429, { message: 'slow down' }, { 'retry-after': String(TWO_DAYS_S) });

describe('a run that reaches its budget', () => {
  test('makes no call that could break it, exits 6, and says what to type', { timeout: LIMIT_MS }, async () => {
    const { place, server } = await at({ respond: good, parts: { budget: { usd: 1.25 } } });
    const stopped = await place.aieval('run', 'manifest.json');
    expect(stopped.exitCode).toBe(6);
    expect(server.requests).toHaveLength(3);
    expect(stopped.stderr).toMatch(
      / {2}stopped: budget: the next call \(small, at most \$\d\.\d+\) does not fit the \$0\.95\d* that is left of \$1\.25\d*, 2 jobs left\n/,
    );
    expect(stopped.stderr).toContain('      → aieval run manifest.json --max-cost 2.4\n');
    expect(stopped.stderr).toContain('exit=6 stopped=budget_usd');
    const status = await hereJson(place, 'status');
    expect(status).toMatchObject({
      run: { state: 'interrupted' },
      cost: { spentUsd: 0.3, reservedUsd: 0, budgetUsd: 1.25 },
      budget: { usd: { limit: 1.25, used: 0.3 }, tokens: null, minutes: null, group: null },
      waiting: [{ why: 'budget_usd', count: 2, untilMs: null }],
      models: [{ model: 'small', cachedInputTokens: 0, firstTokenMs: expect.any(Number), tokensPerSecond: expect.any(Number) }],
    });
    expect(place.read(`.aieval/runs/${runOf(status)}/summary.md`)).toContain('Stopped: budget.usd is reached.');
    expect((await place.aieval('status', '--exit-status')).exitCode).toBe(6);
    expect((await place.aieval('status', '--all')).stdout).toContain('stopped budget');
    const worker = await place.aieval('worker', '--exit-when-idle');
    expect(worker.exitCode).toBe(6);
    expect(worker.stderr).toContain(`run ${runOf(status)} is left: it has reached its budget\nnext: aieval status ${runOf(status)}\n`);
    const more = await place.aieval('run', 'manifest.json', '--max-cost', '2', '--json');
    expect(more.exitCode).toBe(0);
    expect(lastRecord(more.stdout)).toMatchObject({ exitCode: 0, cost: { spentUsd: 0.5, budgetUsd: 2 }, stoppedBy: [] });
  });

  test('is warned of before, once', { timeout: LIMIT_MS }, async () => {
    const { place } = await at({ respond: good, parts: { budget: { tokens: 520, warnAt: 0.2 } } });
    const { exitCode, stdout } = await place.aieval('run', 'manifest.json', '--json');
    expect(exitCode).toBe(6);
    const warnings = records(stdout).filter(({ event, message }) => event === 'warning' && /of the budget is used/.test(String(message)));
    expect(warnings).toHaveLength(1);
  });

  test('of its group counts what the group spent before; a person can look at it and reset it', { timeout: LIMIT_MS }, async () => {
    const { place, server } = await at({ respond: good, parts: { budget: { group: { name: 'team', usd: 1.25, per: 'total' } } } });
    expect((await place.aieval('run', 'manifest.json')).exitCode).toBe(6);
    expect(server.requests).toHaveLength(3);
    const shown = await place.aieval('budget', 'show');
    expect(shown.stdout).toMatch(
      /^GROUP +MONTH +SPENT +RESERVED +UNCERTAIN +BUDGET\nteam +\d{4}-\d\d +\$0\.30 +\$0\.00 +\$0\.00 +\$1\.25 in all\n$/,
    );
    expect(await hereJson(place, 'budget', 'show', 'team')).toMatchObject({
      groups: [{ name: 'team', budgetUsd: 1.25, per: 'total', months: [{ spentUsd: 0.3, reservedUsd: 0, uncertainUsd: 0 }] }],
    });
    const unasked = await place.aieval('budget', 'reset', 'team');
    expect(unasked).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('next: aieval budget reset team --yes') });
    expect((await place.aieval('budget', 'reset', 'team', '--yes')).stdout).toBe('$0.30 of group team counts no more.\n');
    expect((await place.aieval('run', 'manifest.json')).exitCode).toBe(0);
    expect(server.requests).toHaveLength(5);
  });
});

test('a group that no run named is told apart from one that is misspelt', { timeout: LIMIT_MS }, async () => {
  const { place } = await at({ respond: good, count: 1, parts: { budget: { group: { name: 'team', usd: 5 } } } });
  await place.aieval('run', 'manifest.json');
  for (const command of ['show', 'reset']) {
    const { exitCode, stderr } = await place.aieval('budget', command, 'taem');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('error[E31]: no run ever named the budget group "taem"; there is team');
  }
});

describe('a provider that asks to wait for two days', () => {
  test('ends the run with exit 3, the time, and how to stay', { timeout: LIMIT_MS }, async () => {
    const { place, server } = await at({ respond: later });
    const { exitCode, stderr } = await place.aieval('run', 'manifest.json');
    expect(exitCode).toBe(3);
    expect(server.requests).toHaveLength(1);
    expect(stderr).toMatch(/ {2}stopped \(E16\): lab asks to wait until \w{3} \d\d:\d\d \(in 2 days\).*, 5 jobs left\n/);
    expect(stderr).toMatch(/ {6}→ after \w{3} \d\d:\d\d: aieval run manifest\.json\n {6}→ aieval run manifest\.json --wait\n/);
    expect(stderr).toMatch(/WARN paused lab scope=lane reason=rate_limited .* until=\d{4}-/);
    const { waiting } = await hereJson(place, 'status');
    const { untilMs, count } = Object(Array.isArray(waiting) ? waiting[0] : null);
    expect(untilMs - Date.now()).toBeGreaterThan(TWO_DAYS_S * 1000 - LIMIT_MS);
    expect(count).toBeGreaterThanOrEqual(4);
  });

  test.each([
    ['run --wait', ['run', 'manifest.json', '--wait']],
    ['worker', ['worker']],
    ['worker of the run', ['worker', 'latest']],
  ])('%s waits for it, and SIGINT leaves within a second', { timeout: 3 * LIMIT_MS }, async (_title, command) => {
    const { place, server } = await at({ respond: later });
    if (command[0] === 'worker') await place.aieval('run', 'manifest.json');
    let tookMs = Number.POSITIVE_INFINITY;
    // Of a machine that is busy with something else one measurement says nothing.
    for (let tries = 0; tries < 3 && tookMs >= 1000; tries += 1) tookMs = await leaves(place, server, command);
    expect(tookMs).toBeLessThan(1000);
  });

  test('worker --exit-when-idle does not wait for it', { timeout: LIMIT_MS }, async () => {
    const { place } = await at({ respond: later });
    await place.aieval('run', 'manifest.json');
    const { exitCode, stderr } = await place.aieval('worker', '--exit-when-idle');
    expect(exitCode).toBe(3);
    expect(stderr).toContain('it waits for a provider that is paused');
  });
});

test('a key that is refused in the middle ends the run with exit 3, and says what to mend', { timeout: LIMIT_MS }, async () => {
  const { place, server } = await at({
    respond: (request) => (request.n === 1 ? good(request) : apiError(401, { message: 'no', code: 'invalid_api_key' })),
  });
  const { exitCode, stderr } = await place.aieval('run', 'manifest.json');
  expect(exitCode).toBe(3);
  expect(server.requests).toHaveLength(2);
  expect(stderr).toMatch(/WARN paused lab scope=account reason=auth .* fix="set providers\.lab\.apiKeyEnv"/);
  expect(stderr).toMatch(
    / {2}stopped \(E12\): lab is paused: .*, 4 jobs left\n {6}→ set providers\.lab\.apiKeyEnv, then: aieval run manifest\.json\n/,
  );
});

test('failFast ends the run with exit 3 after that many failures', { timeout: LIMIT_MS }, async () => {
  const { place, server } = await at({
    respond: () => apiError(400, { message: 'bad' }),
    parts: { failFast: { afterFailures: 2 } },
  });
  const { exitCode, stderr } = await place.aieval('run', 'manifest.json');
  expect(exitCode).toBe(3);
  expect(server.requests).toHaveLength(2);
  expect(stderr).toContain(
    '  stopped: failFast (afterFailures = 2): 2 jobs could not be evaluated since this start, 3 jobs left\n' +
      '      → mend the cause, then: aieval run manifest.json\n',
  );
  expect((await place.aieval('status')).stdout).toMatch(/ STOPPED failFast .* WAITING 3 {2}failFast: 2 jobs could not be evaluated\n/s);
});

/** Starts the command, interrupts it once it only waits, and says how long it takes to leave. */
async function leaves(place: Project, server: ScriptedServer, command: readonly string[]): Promise<number> {
  const before = server.requests.length;
  const child = start(command, { cwd: place.dir });
  const end = ended(child);
  undo.push(() => child.kill('SIGKILL'));
  // `run` clears the pause, and asks once more; before it did so for the first time there is nothing to look at.
  await until(() => server.requests.length > before || command[0] === 'worker');
  await until(async () => isWaiting(await hereJson(place, 'status'), child.pid));
  const atMs = performance.now();
  child.kill('SIGINT');
  expect((await end).exitCode).toBe(130);
  return performance.now() - atMs;
}

/** It works on the run, no call is in flight, and all that is left waits for the provider. */
function isWaiting({ workers, jobs, waiting }: Record<string, unknown>, pid: number | undefined): boolean {
  const [isThere, running] = [Array.isArray(workers) && workers.some((worker) => worker.pid === pid), Object(jobs).running];
  return isThere && running === 0 && Array.isArray(waiting) && waiting.some(({ why }) => why === 'lane_paused');
}

function records(stdout: string): Record<string, unknown>[] {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => Object(JSON.parse(line)));
}

function runOf(status: Record<string, unknown>): string {
  return String(Object(status.run).id);
}
