import { afterEach, expect, test } from 'vitest';
import { ended, start } from '../cli/binary.ts';
import { gatedServer, until } from './gated-server.ts';
import { documents, manifest, project } from './project.ts';

const ENV = { GITHUB_ACTIONS: 'true', CI: 'true' };
const HOST = '127.0.0.1';

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

/** A run in a workflow with two calls in flight, which ends there; its stderr and its exit code. */
async function broken(preload: string, end: (pid: number) => void) {
  const server = await gatedServer(0);
  const place = project({ files: { 'manifest.json': manifest(server.baseUrl, { concurrency: 2 }), ...documents(3) } });
  undo.push(server.close, server.open, place.remove);
  const nodeArguments = ['--import', `data:text/javascript,${encodeURIComponent(preload)}`];
  const child = start(['run', 'manifest.json', '--allow-host', HOST], { cwd: place.dir, env: ENV, nodeArguments });
  const over = ended(child);
  await until(() => server.requests.length === 2);
  end(child.pid ?? 0);
  const { exitCode, stderr } = await over;
  return { exitCode, lines: stderr.trimEnd().split('\n') };
}

const interrupt = (pid: number): void => void process.kill(pid, 'SIGINT');

/** Asks again as soon as it was heard, so that the process has no time to end by itself. */
const untilAsked = (times: number): string =>
  `let heard = 0; process.on('SIGINT', () => { heard += 1; if (heard < ${times}) process.kill(process.pid, 'SIGINT'); })`;

const ends = (lines: readonly string[]) => lines.filter((line) => line === '::endgroup::').length;

test('a third interruption leaves at once, and closes the group of the log', async () => {
  const { exitCode, lines } = await broken(untilAsked(3), interrupt);
  expect(exitCode).toBe(130);
  expect(ends(lines)).toBe(1);
  // Nothing is told of what came of the run: it left before.
  expect(lines.at(-1)).toBe('::endgroup::');
});

test('after a second one the outcome stands outside of the group', async () => {
  const { exitCode, lines } = await broken(untilAsked(2), interrupt);
  expect(exitCode).toBe(130);
  expect(ends(lines)).toBe(1);
  expect(lines[lines.indexOf('::endgroup::') + 1]).toMatch(/^│ \S/);
});

test('a crash closes the group before it is told', async () => {
  const { exitCode, lines } = await broken(
    `process.on('SIGUSR2', () => { throw new Error('a bug') })`,
    (pid) => void process.kill(pid, 'SIGUSR2'),
  );
  expect(exitCode).toBe(70);
  // What the run still does has a group of its own.
  expect(ends(lines)).toBe(lines.filter((line) => line.startsWith('::group::')).length);
  const end = lines.indexOf('::endgroup::');
  expect(lines.slice(0, end).join('\n')).not.toContain('E99');
  expect(lines[end + 1]).toContain('error[E99]');
  expect(lines.join('\n')).toMatch(/│ INTERRUPTED .* exit 70\n/);
});
