import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aieval } from '../cli/binary.ts';
import { type Project, project } from './project.ts';

const QUICKSTART = fileURLToPath(new URL('../../fixtures/quickstart', import.meta.url));

let repo: Project;
let lines: readonly string[];

beforeAll(async () => {
  repo = project();
  cpSync(QUICKSTART, join(repo.dir, 'evals'), { recursive: true });
  const env = { GITHUB_ACTIONS: 'true', CI: 'true', GITHUB_WORKSPACE: repo.dir };
  const { stderr } = await aieval(['run', 'manifest.json'], { cwd: join(repo.dir, 'evals'), env });
  lines = stderr.split('\n').slice(0, -1);
}, 60_000);
afterAll(() => repo.remove());

const commands = () => lines.filter((line) => line.startsWith('::'));

test('in a workflow the detail of a run is one group, and the outcome stands in sight', () => {
  const [begin, end] = [lines.indexOf('::group::aieval: what happened'), lines.indexOf('::endgroup::')];
  expect(lines.slice(begin + 1, end).every((line) => line.startsWith('│ '))).toBe(true);
  expect(lines[end + 1]).toMatch(/^│ PASS {2}r-\w+ · 20 results/);
  expect(commands().filter((line) => /^::(?:end)?group::/.test(line))).toHaveLength(2);
});

test('what failed stands beside its file, as the repository names it', () => {
  const errors = commands().filter((line) => line.startsWith('::error '));
  expect(errors).toHaveLength(5);
  for (const line of errors)
    expect(line).toMatch(/^::error file=evals\/documents\/[\w.-]+,(?:line=\d+,)?title=\w+ \/ \w+%3A (?:failed|not evaluated)::/);
});
