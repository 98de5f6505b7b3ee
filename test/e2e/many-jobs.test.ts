import { afterEach, expect, test } from 'vitest';
import { aieval } from '../cli/binary.ts';
import { documents, type Project, project } from './project.ts';

const REPEATS = 20;
const TASKS = 20;
const DOCUMENTS = 80;

let folder: Project;
afterEach(() => folder.remove());

/** Each document is asked 400 times. */
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

test('a plan of 32,000 jobs does with a heap of 90 MB', { timeout: 240_000 }, async () => {
  folder = project({ files: { ...documents(DOCUMENTS), 'manifest.json': manifest() } });
  const jobs = DOCUMENTS * TASKS * REPEATS;
  const { exitCode, stdout } = await aieval(['plan', 'manifest.json', '--json', '--max-jobs', String(jobs)], {
    cwd: folder.dir,
    nodeArguments: ['--max-old-space-size=90'],
  });
  expect([exitCode, JSON.parse(stdout)]).toMatchObject([0, { jobs: { total: jobs, toRun: jobs } }]);
});
