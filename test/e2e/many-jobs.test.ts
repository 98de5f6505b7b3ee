import type { ChildProcess } from 'node:child_process';
import { afterEach, expect, test } from 'vitest';
import { aieval, ended, start } from '../cli/binary.ts';
import { documents, type Project, project } from './project.ts';

const REPEATS = 20;
const TASKS = 25;
const DOCUMENTS = 120;
const JOBS = DOCUMENTS * TASKS * REPEATS;

let folder: Project;
afterEach(() => folder.remove());

/** Each document is asked 500 times. */
function manifest(): string {
  const task = (n: number) => ({
    prompt: `{{document}}\n\nQuote sentence ${n}.`,
    output: { format: 'text' },
    checks: [],
    repeats: REPEATS,
  });
  const tasks = Object.fromEntries(Array.from({ length: TASKS }, (_, n) => [`t${n}`, task(n)]));
  const models = { small: { provider: 'sim', model: 'small', price: 'free', params: { maxOutputTokens: 100 } } };
  return JSON.stringify({ version: 1, documents: ['docs/*.md'], providers: { sim: { type: 'simulated' } }, models, tasks });
}

// Whoever held 60,000 jobs, or enqueued 24,000 that it holds, would need more.
const SMALL_HEAP = ['--max-old-space-size=64'];
const SMALLER_HEAP = ['--max-old-space-size=48'];

test('jobs are planned and listed without being held', { timeout: 240_000 }, async () => {
  folder = project({ files: { ...documents(DOCUMENTS), 'manifest.json': manifest() } });
  const plan = (...options: string[]) =>
    aieval(['plan', 'manifest.json', '--max-jobs', String(JOBS), ...options], { cwd: folder.dir, nodeArguments: SMALL_HEAP });
  const planned = await plan('--json');
  expect([planned.exitCode, JSON.parse(planned.stdout)]).toMatchObject([
    0,
    { jobs: { total: JOBS, toRun: JOBS }, calls: { total: JOBS, toRun: JOBS } },
  ]);
  const listed = await plan('--list');
  expect([listed.exitCode, new Set(listed.stdout.trimEnd().split('\n')).size]).toEqual([0, JOBS + 1]);
});

test('jobs are enqueued without being held', { timeout: 240_000 }, async () => {
  folder = project({ files: { ...documents(DOCUMENTS), 'manifest.json': manifest() } });
  const jobs = 24_000;
  const options = ['--first', String(jobs), '--max-jobs', String(jobs), '--json'];
  const child = start(['run', 'manifest.json', ...options], { cwd: folder.dir, nodeArguments: SMALLER_HEAP });
  const end = ended(child);
  await Promise.race([end, started(child)]);
  child.kill('SIGINT');
  const { exitCode } = await end;
  const { stdout } = await aieval(['status', '--json'], { cwd: folder.dir });
  expect([exitCode, JSON.parse(stdout)]).toMatchObject([130, { jobs: { total: jobs } }]);
});

/** Resolves once the child says that its run is planned. */
function started(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    const look = (text: string): void => {
      if (text.includes('run.started')) resolve();
    };
    child.stdout?.on('data', look);
    child.stderr?.on('data', look);
  });
}
