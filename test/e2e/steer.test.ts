import { once } from 'node:events';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { ended, start } from '../cli/binary.ts';
import { answerJson, type ScriptedServer, startScriptedServer } from '../providers/scripted-server.ts';
import { gatedServer, until } from './gated-server.ts';
import { here, hereJson } from './here.ts';
import { documents, goodAnswer, lastRecord, manifest, type Project, project } from './project.ts';

// Each test starts several processes, one after the other.
vi.setConfig({ testTimeout: 90_000 });

const undo: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

async function gated(free = 0): Promise<Awaited<ReturnType<typeof gatedServer>>> {
  const server = await gatedServer(free);
  undo.push(server.close);
  return server;
}

function folder(server: ScriptedServer, count: number, parts: object = {}): Project {
  const made = project({ files: { 'manifest.json': manifest(server.baseUrl, parts), ...documents(count) } });
  undo.push(made.remove);
  return made;
}

/** A process at work, and its end. */
function working({ dir }: Project, ...args: string[]) {
  const child = start([...args, '--json'], { cwd: dir });
  undo.push(() => void child.kill('SIGKILL'));
  return { child, end: ended(child) };
}

const json = async ({ aieval }: Project, ...args: string[]) => {
  const { exitCode, stdout, stderr } = await aieval(...args, '--json');
  return { exitCode, stderr, record: lastRecord(stdout) };
};

/** How many workers a status shows. */
function workersIn({ workers }: Record<string, unknown>): number {
  return Array.isArray(workers) ? workers.length : 0;
}

describe('pause and resume', () => {
  test('running calls finish, nothing more is started, and the process leaves with 7; resumed, the run goes on', async () => {
    const server = await gated();
    const place = folder(server, 6, { concurrency: 2 });
    const { end } = working(place, 'run', 'manifest.json');
    await until(() => server.requests.length === 2);
    const { record: paused } = await json(place, 'pause');
    expect(paused).toEqual({ v: 1, run: paused.run, changed: true });
    expect((await here(place, 'pause')).stdout).toBe(`Run ${paused.run} is paused already; nothing was changed.\n`);
    server.open();
    const { exitCode, stdout } = await end;
    expect(exitCode).toBe(7);
    expect(lastRecord(stdout)).toMatchObject({ exitCode: 7, reasons: ['incomplete', 'refused'], jobs: { succeeded: 2, queued: 4 } });
    expect(await hereJson(place, 'status')).toMatchObject({ run: { state: 'paused', verdict: null } });

    const refused = await place.aieval('run', 'manifest.json');
    for (const { exitCode, stderr } of [refused, await here(place, 'worker', 'latest'), await here(place, 'retry')]) {
      expect(exitCode).toBe(7);
      expect(stderr).toContain(`error[E20]: run ${paused.run} is paused\nnext: aieval resume ${paused.run}\n`);
    }
    expect(server.requests).toHaveLength(2);

    const resumed = await place.aieval('resume');
    expect(resumed.stdout).toBe(
      `Resumed run ${paused.run}: nobody works on it yet.\nnext: aieval run manifest.json · aieval worker ${paused.run}\n`,
    );
    expect(await hereJson(place, 'resume')).toEqual({ v: 1, run: paused.run, changed: false });
    expect((await json(place, 'run', 'manifest.json')).record).toMatchObject({ exitCode: 0, jobs: { succeeded: 6 }, calls: 6 });
  });
});

describe('aieval worker', () => {
  test('works on a run from the store alone, like a second run of its manifest', async () => {
    const server = await gated();
    const place = folder(server, 6, { concurrency: 2 });
    const { child, end } = working(place, 'run', 'manifest.json');
    await until(() => server.requests.length === 2);
    child.kill('SIGINT');
    server.open();
    await end;
    place.write('manifest.json', 'not a manifest any more');
    const { exitCode, record } = await json(place, 'worker', 'latest');
    expect({ exitCode, record }).toMatchObject({ exitCode: 0, record: { event: 'run.finished', jobs: { succeeded: 6 }, calls: 6 } });
    expect(place.read(`.aieval/runs/${record.run}/results.jsonl`).trimEnd().split('\n')).toHaveLength(7);
  });

  test('without a run works on every unfinished one; a paused one and one whose server is gone keep it from no other', async () => {
    const server = await gated();
    const gone = await gated();
    const place = folder(server, 2);
    const interrupted = async (name: string, at: ScriptedServer): Promise<string> => {
      const task = { ...JSON.parse(manifest(at.baseUrl)).tasks.quotes, prompt: `{{document}}\n\nQuote one sentence for ${name}.` };
      place.write(`${name}.json`, manifest(at.baseUrl, { name, concurrency: 1, tasks: { quotes: task } }));
      const asked = at.requests.length;
      const { child, end } = working(place, 'run', `${name}.json`);
      await until(() => at.requests.length === asked + 1);
      child.kill('SIGINT');
      child.kill('SIGTERM');
      return String(lastRecord((await end).stdout).run);
    };
    const one = await interrupted('one', gone);
    const two = await interrupted('two', server);
    const three = await interrupted('three', server);
    await gone.close();
    await here(place, 'pause', two);
    server.open();

    const { exitCode, stdout, stderr } = await place.aieval('worker', '--exit-when-idle', '--json', '--display', 'plain');
    expect(exitCode).toBe(4);
    expect(stderr).toContain(`run ${one} is left to others (E14): cannot use ${gone.baseUrl}`);
    const records = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(records.filter(({ event }) => event === 'run.finished')).toMatchObject([
      { run: three, verdict: 'pass', jobs: { succeeded: 2 } },
    ]);
    expect(records.at(-1)).toEqual({
      ...{ v: 1, event: 'worker.finished', exitCode: 4, runs: [three] },
      left: [
        { run: two, why: 'paused' },
        { run: one, why: 'refused', code: 'E14' },
      ],
    });
    expect(place.read(`.aieval/runs/${three}/summary.md`)).toContain('✅ aieval: PASS');
    expect(await hereJson(place, 'status', two)).toMatchObject({ run: { state: 'paused' }, jobs: { succeeded: 0 } });
    await here(place, 'resume', two);
    await here(place, 'cancel', one);
    const rest = await place.aieval('worker', '--exit-when-idle');
    expect(rest).toMatchObject({ exitCode: 0, stdout: '' });
    expect(await hereJson(place, 'status', two)).toMatchObject({ run: { state: 'finished', verdict: 'pass' } });
  });

  test('stays until it is stopped, and takes up runs that begin later', async () => {
    const server = await gated();
    const place = folder(server, 3, { concurrency: 1 });
    const first = working(place, 'run', 'manifest.json');
    await until(() => server.requests.length === 1);
    const worker = working(place, 'worker', '--concurrency', '1');
    await until(() => server.requests.length === 2);
    const record = await hereJson(place, 'status');
    expect(record).toMatchObject({
      run: { state: 'running' },
      workers: [
        { alive: true, running: 1 },
        { alive: true, running: 1 },
      ],
    });
    expect(record.workers).toMatchObject([{ oldestLeaseAt: expect.any(String) }, { oldestLeaseAt: expect.any(String) }]);
    server.open();
    expect((await first.end).exitCode).toBe(0);
    place.write('docs/99.md', 'Device 99 shall answer within 5 ms.\n');
    const second = await json(place, 'run', 'manifest.json');
    expect(second.record).toMatchObject({ exitCode: 0, jobs: { succeeded: 4 } });
    worker.child.kill('SIGTERM');
    expect((await worker.end).exitCode).toBe(143);
    expect(await hereJson(place, 'status')).toMatchObject({ run: { state: 'finished' }, workers: [] });
  });
});

describe('aieval cancel', () => {
  test('--now ends calls in flight of another process, which keeps what it has', async () => {
    const server = await gated(1);
    const place = folder(server, 5, { concurrency: 2 });
    const { end } = working(place, 'run', 'manifest.json');
    await until(() => server.requests.length === 3);
    const { record } = await json(place, 'cancel', '--now');
    expect(record).toMatchObject({ v: 1, changed: true, cancelled: 2, running: 2 });
    const { exitCode, stdout } = await end;
    expect(exitCode).toBe(3);
    expect(lastRecord(stdout)).toMatchObject({ jobs: { succeeded: 1, cancelled: 4, queued: 0, running: 0 }, cost: { uncertainCalls: 2 } });
    expect(server.requests).toHaveLength(3);
  });

  test('with filters ends only the jobs that all of them name; the run goes on without them', async () => {
    const server = await gated();
    const place = folder(server, 6, { concurrency: 1 });
    const { end } = working(place, 'run', 'manifest.json');
    await until(() => server.requests.length === 1);
    const dry = await place.aieval('cancel', '--document', 'docs/0[1-3].md', '--model', 'small', '--dry-run');
    expect(dry.stdout.split('\n').map((line) => line.replace(/ [a-z2-7]{8} /, ' ID '))).toEqual([
      expect.stringMatching(/^Would cancel 2 jobs of run r-\w+; 1 job in flight would finish and be kept\.$/),
      '  running  ID  docs/01.md:quotes:small',
      '  queued   ID  docs/02.md:quotes:small',
      '  queued   ID  docs/03.md:quotes:small',
      '',
    ]);
    expect(await hereJson(place, 'cancel', '--document', 'docs/0[2-3].md', '--document', 'docs/04.md', '--dry-run')).toMatchObject({
      ...{ v: 1, dryRun: true, cancelled: 3, running: 0 },
      jobs: [{ document: 'docs/02.md', state: 'queued' }, { document: 'docs/03.md' }, { document: 'docs/04.md' }],
    });
    const { record } = await json(place, 'cancel', '--document', 'docs/0[1-3].md', '--job', 'docs/02.md:quotes:small');
    expect(record).toMatchObject({ changed: true, cancelled: 1, running: 0 });
    const none = await here(place, 'cancel', '--job', 'docs/02.md:quotes:small', '--json');
    expect(none.exitCode).toBe(5);
    expect(JSON.parse(none.stdout)).toMatchObject({ changed: false, cancelled: 0 });
    const typo = await here(place, 'cancel', '--model', 'smal');
    expect(typo).toMatchObject({ exitCode: 2, stdout: '' });
    expect(typo.stderr).toContain('has no model "smal". Closest: small');
    server.open();
    expect(lastRecord((await end).stdout)).toMatchObject({ exitCode: 3, jobs: { succeeded: 5, cancelled: 1 } });
    expect(server.requests).toHaveLength(5);
  });
});

describe('aieval retry --failed', () => {
  test('asks jobs with verdict fail anew and says that it costs', async () => {
    let good = false;
    const server = await startScriptedServer({
      respond: ({ prompt }) =>
        answerJson(good || prompt.includes('Device 01') ? goodAnswer(prompt) : { findings: [{ quote: 'Nobody wrote this sentence.' }] }),
    });
    undo.push(server.close);
    const place = folder(server, 3);
    expect((await json(place, 'run', 'manifest.json')).record).toMatchObject({ exitCode: 1, results: { pass: 1, fail: 2 } });
    expect((await here(place, 'retry')).exitCode).toBe(5);
    expect(await here(place, 'retry', '--failed', '--dlq')).toMatchObject({ exitCode: 2, stdout: '' });
    expect(await here(place, 'retry', '--failed', '--reason', 'timeout')).toMatchObject({ exitCode: 2, stdout: '' });
    good = true;
    const one = await place.aieval('retry', '--failed', '--job', 'docs/02.md:quotes:small', '--display', 'plain');
    expect(one.exitCode).toBe(1);
    expect(one.stderr).toMatch(/INFO retry r-\w+ jobs=1 calls=1 expected_usd=0\.\d+ at_most_usd=0\.\d+\n/);
    expect((await json(place, 'retry', '--failed')).record).toMatchObject({ exitCode: 0, results: { pass: 3 }, calls: 5 });
    const nothing = await here(place, 'retry', '--failed');
    expect(nothing.exitCode).toBe(5);
    expect(nothing.stderr).toContain('has verdict fail');
  });
});

describe('aieval budget settle-unknown', () => {
  test('books the calls that a killed process left, at what a person says', async () => {
    const server = await gated();
    const place = folder(server, 2);
    const { child } = working(place, 'run', 'manifest.json');
    await until(() => server.requests.length === 2);
    child.kill('SIGKILL');
    await once(child, 'close');
    server.open();
    await place.aieval('run', 'manifest.json');
    const status = await hereJson(place, 'status');
    expect(status).toMatchObject({ lostLeases: 2, cost: { uncertainCalls: 2, uncertainUnpricedCalls: 0 } });
    expect((await here(place, 'status')).stdout).toMatch(/cost unknown: 2 calls may have been billed, at most \$0\.\d+\n/);
    expect(await here(place, 'budget', 'settle-unknown')).toMatchObject({ exitCode: 2 });
    const settled = await place.aieval('budget', 'settle-unknown', '--at', 'worst');
    expect(settled).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^2 calls of unknown outcome settled at \$0\.\d+\n$/) });
    expect(await hereJson(place, 'budget', 'settle-unknown', '--at', 'zero')).toMatchObject({
      v: 1,
      at: 'zero',
      calls: 0,
      usd: 0,
      unpriced: 0,
    });
    expect(await hereJson(place, 'status')).toMatchObject({ cost: { uncertainCalls: 0, uncertainUsd: 0 } });
  });
});

describe('aieval store', () => {
  test('bounds what runs at once over all processes, and shows the bound', async () => {
    const server = await gated();
    const place = folder(server, 3);
    expect((await here(place, 'store', 'show')).exitCode).toBe(2);
    const { end } = working(place, 'run', 'manifest.json', '--concurrency', '1');
    await until(() => server.requests.length === 1);
    expect((await json(place, 'store', 'set', 'maxRunning', '1')).record).toEqual({ v: 1, maxRunning: 1, changed: true });
    const second = working(place, 'worker', 'latest');
    await until(async () => workersIn(await hereJson(place, 'status')) === 2);
    expect(await hereJson(place, 'status')).toMatchObject({ waiting: [{ why: 'store_maximum', count: 2 }] });
    expect(server.requests).toHaveLength(1);
    expect(await hereJson(place, 'store', 'set', 'maxRunning', '1')).toEqual({ v: 1, maxRunning: 1, changed: false });
    expect((await place.aieval('store', 'show')).stdout).toBe('maxRunning 1\n');
    for (const wrong of [
      ['maxRuning', '2'],
      ['maxRunning', '0'],
      ['maxRunning', 'many'],
    ]) {
      expect(await here(place, 'store', 'set', ...wrong)).toMatchObject({ exitCode: 2, stdout: '' });
    }
    expect((await here(place, 'store', 'set', 'maxRunning', 'none')).stdout).toBe('maxRunning none\n');
    expect(await hereJson(place, 'store', 'show')).toEqual({ v: 1, maxRunning: null });
    await until(() => server.requests.length > 1);
    server.open();
    expect((await end).exitCode).toBe(0);
    expect((await second.end).exitCode).toBe(0);
  });

  test('a command that holds others says which', async () => {
    const place = project({});
    undo.push(place.remove);
    for (const group of ['store', 'budget']) {
      expect(await here(place, group)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(`aieval ${group} needs a command: `) });
    }
  });
});
