import { afterEach, expect, test, vi } from 'vitest';
import { ended, start } from '../cli/binary.ts';
import { apiError, startScriptedServer } from '../providers/scripted-server.ts';
import { gatedServer, until } from './gated-server.ts';
import { documents, lastRecord, manifest, type Project, project } from './project.ts';

// Each test starts several processes, one after the other.
vi.setConfig({ testTimeout: 90_000 });

const undo: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

/** Two documents, each asked by a task for any machine and by one for those with a GPU. */
async function tagged(baseUrl?: string): Promise<{ server: Awaited<ReturnType<typeof gatedServer>>; place: Project }> {
  const server = await gatedServer(0);
  undo.push(server.close);
  const at = baseUrl ?? server.baseUrl;
  const { quotes } = JSON.parse(manifest(at)).tasks;
  const heavy = { ...quotes, prompt: `${quotes.prompt} Take your time.`, requires: ['large', 'gpu'] };
  const place = project({ files: { ...documents(2), 'manifest.json': manifest(at, { tasks: { quotes, heavy } }) } });
  undo.push(place.remove);
  return { server, place };
}

function working({ dir }: Project, args: readonly string[], env: Record<string, string> = {}) {
  const child = start([...args, '--json'], { cwd: dir, env });
  undo.push(() => void child.kill('SIGKILL'));
  return { child, end: ended(child) };
}

test('a run without the tags leaves what requires them, and says who could do it', async () => {
  const { server, place } = await tagged();
  server.open();
  const first = await place.aieval('run', 'manifest.json');
  expect(first.exitCode).toBe(3);
  const runId = /r-[0-9a-v]{8}/.exec(first.stderr)?.[0] ?? '';
  expect(first.stderr).toContain('needs a worker with tags gpu, large');
  expect(first.stderr).toContain(`aieval worker ${runId} --tags gpu,large`);
  expect(server.requests).toHaveLength(2);

  const status = await place.aieval('status');
  expect(status.stdout).toContain('WAITING 2  needs a worker with tags gpu, large');
  expect(status.stdout).toContain(`aieval worker ${runId} --tags gpu,large`);
  expect(JSON.parse((await place.aieval('status', '--json')).stdout).waiting).toEqual([
    { why: 'tags', lane: null, count: 2, untilMs: null, tags: ['gpu', 'large'] },
  ]);
  const idle = await place.aieval('worker', '--exit-when-idle', '--tags', 'gpu');
  expect(idle).toMatchObject({ exitCode: 3, stderr: expect.stringContaining(`aieval worker ${runId} --tags gpu,large`) });

  expect((await place.aieval('worker', runId, '--tags', 'gpu,large')).exitCode).toBe(0);
  expect(server.requests).toHaveLength(4);
});

test('retry says which of the jobs that it takes up need a worker with tags', async () => {
  const server = await startScriptedServer({ respond: () => apiError(400, { message: 'no such parameter' }) });
  undo.push(server.close);
  const { place } = await tagged(server.baseUrl);
  await place.aieval('run', 'manifest.json', '--tags', 'gpu,large');
  const warning = 'warning: 2 jobs of these need a worker with tags gpu, large, which this one has not';
  const dry = (...more: string[]) => place.aieval('retry', '--dry-run', ...more);
  expect((await dry()).stdout).toContain(warning);
  expect((await dry('--tags', 'gpu,large')).stdout).not.toContain('need a worker');
});

test('a run stays while a worker is there that has the tags, and that is shown with them', async () => {
  const { server, place } = await tagged();
  const run = working(place, ['run', 'manifest.json']);
  await until(() => server.requests.length === 2);
  const worker = working(place, ['worker'], { AIEVAL_TAGS: 'gpu,large' });
  await until(() => server.requests.length === 4);
  const { workers } = JSON.parse((await place.aieval('status', '--json')).stdout);
  expect(workers.map(({ tags }: { tags: string[] }) => tags)).toEqual([[], ['gpu', 'large']]);
  expect((await place.aieval('status')).stdout).toMatch(/TAGS[\s\S]*gpu, large/);
  server.open();
  const { exitCode, stdout } = await run.end;
  expect([exitCode, lastRecord(stdout).verdict]).toEqual([0, 'pass']);
  worker.child.kill('SIGINT');
  expect((await worker.end).exitCode).toBe(130);
});

test('plan and validate name the tasks that need tags; so does resume, for whoever goes on', async () => {
  const { server, place } = await tagged();
  const note = '1 task needs tags gpu, large, which run or worker must be given (--tags gpu,large): heavy';
  expect((await place.aieval('validate', 'manifest.json')).stdout).toContain(`\nnote: ${note}\n`);
  expect(JSON.parse((await place.aieval('validate', 'manifest.json', '--json')).stdout)).toMatchObject({ ok: true, notes: [note] });
  expect((await place.aieval('plan', 'manifest.json')).stdout).toContain(note);
  expect((await place.aieval('plan', 'manifest.json', '--task', 'quotes')).stdout).not.toContain('needs tags');

  const run = working(place, ['run', 'manifest.json']);
  await until(() => server.requests.length === 2);
  run.child.kill('SIGINT');
  server.open();
  const { exitCode, stdout } = await run.end;
  const { run: runId } = lastRecord(stdout);
  expect(exitCode).toBe(130);
  await place.aieval('pause');
  expect((await place.aieval('resume')).stdout).toContain(
    `next: aieval run manifest.json --tags gpu,large · aieval worker ${runId} --tags gpu,large\n`,
  );
});

test('an idle worker says once which run waits for tags that it has not', async () => {
  const { server, place } = await tagged();
  server.open();
  await place.aieval('run', 'manifest.json', '--quiet');
  const child = start(['worker', '--tags', 'gpu', '--display', 'plain'], { cwd: place.dir });
  undo.push(() => void child.kill('SIGKILL'));
  const end = ended(child);
  let [told, looks] = ['', 0];
  child.stderr?.on('data', (chunk) => {
    told += String(chunk);
  });
  await until(() => told.includes('--tags gpu,large'));
  // Looks of a second each.
  await until(async () => {
    looks += 1;
    await place.aieval('status');
    return looks === 4;
  });
  child.kill('SIGINT');
  const { stderr } = await end;
  expect(
    stderr.match(/run r-\w+ waits for a worker with the tags that this one lacks: aieval worker r-\w+ --tags gpu,large/g),
  ).toHaveLength(1);
});

test('what is no tag is refused, wherever it is said', async () => {
  const { place } = await tagged();
  const flag = await place.aieval('worker', '--tags', 'gpu, ,a b');
  expect(flag).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('a tag of letters') });
  const { end } = working(place, ['run', 'manifest.json'], { AIEVAL_TAGS: 'a/b' });
  expect(await end).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('AIEVAL_TAGS must be a list') });
  const { quotes } = JSON.parse(manifest('http://127.0.0.1:9/v1')).tasks;
  place.write('wrong.json', manifest('http://127.0.0.1:9/v1', { tasks: { quotes: { ...quotes, requires: ['a,b'] } } }));
  expect(await place.aieval('validate', 'wrong.json')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('a,b') });
});
