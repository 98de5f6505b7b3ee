import { rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { ended, start } from '../cli/binary.ts';
import type { ScriptedServer } from '../providers/scripted-server.ts';
import { gatedServer, until } from './gated-server.ts';
import { here, hereJson } from './here.ts';
import { documents, lastRecord, manifest, type Project, project } from './project.ts';

// Each test starts several processes, one after the other.
vi.setConfig({ testTimeout: 90_000 });

const undo: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

async function gated(): Promise<Awaited<ReturnType<typeof gatedServer>>> {
  const server = await gatedServer(0);
  undo.push(server.close);
  return server;
}

function folder(): Project {
  const made = project({ files: documents(2) });
  undo.push(made.remove);
  return made;
}

function working({ dir }: Project, ...args: string[]) {
  const child = start([...args, '--json'], { cwd: dir });
  undo.push(() => void child.kill('SIGKILL'));
  return { child, end: ended(child) };
}

/** A run of its own that is left open with a call in flight ended. */
async function interrupted(place: Project, name: string, at: ScriptedServer): Promise<string> {
  const task = { ...JSON.parse(manifest(at.baseUrl)).tasks.quotes, prompt: `{{document}}\n\nQuote one sentence for ${name}.` };
  place.write(`${name}.json`, manifest(at.baseUrl, { name, concurrency: 1, tasks: { quotes: task } }));
  const asked = at.requests.length;
  const { child, end } = working(place, 'run', `${name}.json`);
  await until(() => at.requests.length === asked + 1);
  child.kill('SIGINT');
  child.kill('SIGTERM');
  return String(lastRecord((await end).stdout).run);
}

test('a run whose folder becomes a file keeps no other run from going on; the exit code tells, and a later command writes its files', async () => {
  const server = await gated();
  const place = folder();
  const one = await interrupted(place, 'one', server);
  const two = await interrupted(place, 'two', server);
  const asked = server.requests.length;
  const { end } = working(place, 'worker', '--exit-when-idle', '--display', 'plain');
  await until(() => server.requests.length === asked + 1);
  const spoiled = join(place.dir, '.aieval', 'runs', one);
  rmSync(spoiled, { recursive: true });
  writeFileSync(spoiled, 'a file');
  server.open();

  const { exitCode, stdout, stderr } = await end;
  expect(exitCode).toBe(8);
  expect(stderr.match(/the files of r-\w+ are not written: .*ENOTDIR/g)).toHaveLength(1);
  expect(lastRecord(stdout)).toMatchObject({ event: 'worker.finished', exitCode: 8, runs: [one, two], left: [] });
  expect(place.read(`.aieval/runs/${two}/summary.md`)).toContain('✅ aieval: PASS');
  expect(await hereJson(place, 'status', one)).toMatchObject({ run: { state: 'finished', verdict: 'pass' } });
  rmSync(spoiled);
  expect((await place.aieval('summary', one)).exitCode).toBe(0);
  expect(place.read(`.aieval/runs/${one}/summary.md`)).toContain('✅ aieval: PASS');
});

test('without work it names the runs that need a person, and what to type', async () => {
  const server = await gated();
  const place = folder();
  const run = await interrupted(place, 'one', server);
  await here(place, 'pause', run);
  server.open();
  const { exitCode, stdout, stderr } = await place.aieval('worker', '--exit-when-idle');
  expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: '' });
  const working = `Working on every unfinished run in ${place.dir}/.aieval/aieval.db, as ${hostname()}, without tags.\n`;
  expect(stderr).toBe(`${working}run ${run} is left: it is paused\nnext: aieval resume ${run}\n`);
  await here(place, 'cancel', run);
  expect(await place.aieval('worker', '--exit-when-idle')).toMatchObject({ exitCode: 0, stderr: `${working}No run has open work.\n` });
});

test('a run that it cannot work on is shown as interrupted, with what to type', async () => {
  const gone = await gated();
  const place = folder();
  const run = await interrupted(place, 'one', gone);
  await gone.close();
  const worker = working(place, 'worker', '--display', 'plain');
  await until(async () => (await workersAlive(place)) === 1);
  // The call that was ended is to be tried again in a second; until then it may wait for this worker.
  await until(async () => (await hereJson(place, 'status', run)).waiting?.toString() === '');
  expect(await hereJson(place, 'status', run)).toMatchObject({ run: { state: 'interrupted', verdict: 'incomplete' }, workers: [] });
  expect((await here(place, 'status', run)).stdout).toContain('next: aieval run one.json');
  worker.child.kill('SIGTERM');
  expect((await worker.end).exitCode).toBe(143);
});

/** As the doctor counts them. */
async function workersAlive(place: Project): Promise<number> {
  const { checks } = await hereJson(place, 'doctor');
  const found = Array.isArray(checks) ? checks.find(({ check }) => check === 'workers') : undefined;
  return Number(/^(\d+) alive/.exec(String(found?.message))?.[1] ?? 0);
}
