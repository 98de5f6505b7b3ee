import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ended, start } from '../cli/binary.ts';
import { gatedServer, until } from './gated-server.ts';
import { documents, lastRecord, manifest, type Project, project } from './project.ts';

// Each test starts several processes, one after the other.
vi.setConfig({ testTimeout: 90_000 });

let server: Awaited<ReturnType<typeof gatedServer>>;
let folder: Project;

beforeEach(async () => {
  server = await gatedServer(0);
  const other = { name: 'other', documents: ['docs/01.md', 'docs/02.md'], maxQueueDepth: 5 };
  folder = project({
    files: {
      ...documents(4),
      'manifest.json': manifest(server.baseUrl, { concurrency: 1 }),
      'other.json': manifest(server.baseUrl, other),
    },
  });
});
afterEach(async () => {
  await server.close();
  folder.remove();
});

test('a run that would wait behind too many is refused before anything is asked, and let in once there is room', async () => {
  const first = ended(start(['run', 'manifest.json', '--json'], { cwd: folder.dir }));
  await until(() => server.requests.length === 1);
  const refused = await folder.aieval('run', 'other.json');
  expect(refused).toMatchObject({ exitCode: 7, stdout: '' });
  expect(refused.stderr).toMatch(
    /error\[E48\]: the queue is full: 4 jobs wait or run \(r-\w+: 4\), and 2 more would be above maxQueueDepth = 5/,
  );
  expect(refused.stderr).toContain('--max-queue-depth 6');
  expect(server.requests).toHaveLength(1);
  expect(await folder.aieval('status', '--all', '--json')).toMatchObject({ stdout: expect.not.stringContaining('other') });

  // The run that is there is joined, whatever the depth.
  const joined = ended(start(['run', 'manifest.json', '--json', '--max-queue-depth', '1'], { cwd: folder.dir }));
  await until(() => server.requests.length === 2);
  server.open();
  expect((await first).exitCode).toBe(0);
  expect((await joined).exitCode).toBe(0);
  expect(lastRecord((await folder.aieval('run', 'other.json', '--json')).stdout)).toMatchObject({ exitCode: 0, jobs: { total: 2 } });
});

test('the depth is said by flag, variable, manifest or user config, and holds for a retry, too', async () => {
  const refusal = { exitCode: 7, stderr: expect.stringContaining('maxQueueDepth = 1') };
  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    ended(start(args, { cwd: folder.dir, env: { HOME: folder.dir, ...env } }));
  server.open();
  expect(await run(['run', 'other.json', '--max-queue-depth', '1'])).toMatchObject(refusal);
  expect(await run(['run', 'other.json'], { AIEVAL_MAX_QUEUE_DEPTH: '1' })).toMatchObject(refusal);
  folder.write('.config/aieval/config.json', '{ "maxQueueDepth": 1 }');
  expect(await run(['run', 'manifest.json'])).toMatchObject(refusal);
  expect(server.requests).toHaveLength(0);
  // Of the two the manifest says it louder.
  expect(await run(['run', 'other.json'])).toMatchObject({ exitCode: 0 });
  folder.write(
    'bad.json',
    manifest(server.baseUrl, { tasks: { t: { prompt: '{{document}} Say no.', output: { format: 'text' }, checks: [FALSE] } } }),
  );
  expect(await run(['run', 'bad.json', '--max-queue-depth', '4'])).toMatchObject({ exitCode: 1 });
  const asked = server.requests.length;
  expect(await run(['retry', '--failed', '--max-queue-depth', '3'])).toMatchObject({ exitCode: 7, stderr: expect.stringContaining('E48') });
  expect(server.requests).toHaveLength(asked);
  // What the run was started with holds, unless another depth is said.
  expect(await run(['retry', '--failed'])).toMatchObject({ exitCode: 1 });
});

const FALSE = { type: 'contains', text: 'never said' };
