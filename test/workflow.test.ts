import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } from '@actions/workflow-parser';
import { ErrorPolicy } from '@actions/workflow-parser/model/convert';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { BINARY } from './cli/binary.ts';
import { type Project, project } from './e2e/project.ts';

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const QUICKSTART = fileURLToPath(new URL('../fixtures/quickstart', import.meta.url));
const [, WORKFLOW = ''] = /```yaml\n(name: aieval\n.*?)```/s.exec(README) ?? [];

type Step = { readonly name?: string; readonly run?: string; readonly uses?: string; readonly if?: string };
const STEPS: readonly Step[] = parse(WORKFLOW).jobs.review.steps;

describe("the README's workflow", () => {
  let place: Project;
  beforeEach(() => {
    place = project();
    writeFileSync(join(place.dir, 'aieval'), `#!/bin/sh\nexec ${process.execPath} ${BINARY} "$@"\n`);
    chmodSync(join(place.dir, 'aieval'), 0o755);
  });
  afterEach(() => place.remove());

  /** As a runner does: each script by `bash -e`; after a failure only what runs always. */
  function runSteps(env: Readonly<Record<string, string>> = {}): { readonly exitCode: number; readonly log: string } {
    let [exitCode, log] = [0, ''];
    for (const { run, if: condition } of STEPS) {
      if (run === undefined || run.startsWith('npm install') || (exitCode !== 0 && condition !== 'always()')) continue;
      const PATH = `${place.dir}:${process.env.PATH}`;
      const github = { CI: 'true', GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: join(place.dir, 'step-summary.md') };
      const { status, stdout, stderr } = spawnSync('bash', ['-e', '-c', run], {
        cwd: place.dir,
        env: { PATH, HOME: place.dir, ...github, ...env },
        encoding: 'utf8',
      });
      log += stdout + stderr;
      if (exitCode === 0) exitCode = status ?? 1;
    }
    return { exitCode, log };
  }

  test("is valid by GitHub's own parser", async () => {
    const { context, value } = parseWorkflow({ name: 'aieval.yml', content: WORKFLOW }, new NoOperationTraceWriter());
    expect(context.errors.getErrors()).toEqual([]);
    if (value === undefined) throw new Error('no workflow was parsed');
    const template = await convertWorkflowTemplate(context, value, undefined, { errorPolicy: ErrorPolicy.TryConversion });
    expect(template.errors ?? []).toEqual([]);
    expect(STEPS.filter(({ uses }) => uses !== undefined && !/^[\w-]+\/[\w-]+(?:\/[\w-]+)?@v\d+$/.test(uses))).toEqual([]);
  });

  test('plans, runs, and leaves summary, report, JUnit and the answers for the next run', { timeout: 120_000 }, () => {
    cpSync(QUICKSTART, place.dir, { recursive: true });
    expect(runSteps()).toMatchObject({ exitCode: 0 });
    expect(place.read('step-summary.md')).toBe(place.read('summary.md'));
    expect(place.read('summary.md')).toContain('aieval: PASS');
    for (const file of ['report.html', 'junit.xml', 'cache.jsonl']) expect(existsSync(join(place.dir, file)), file).toBe(true);

    place.write('.aieval/aieval.db', '');
    spawnSync('rm', ['-rf', join(place.dir, '.aieval')]);
    expect(runSteps().log).toMatch(/cached=19\b/);
  });

  test('of a pull request from a fork, which gets no key, ends with exit code 4 and a summary that says so', { timeout: 120_000 }, () => {
    place.write('docs/a.md', '# A\n\nThe device shall answer.\n');
    const task = { prompt: '{{document}}', output: { format: 'text' }, checks: [] };
    const model = { model: 'gpt-5-mini', params: { maxOutputTokens: 100 } };
    place.write(
      'manifest.json',
      JSON.stringify({ version: 1, documents: ['docs/*.md'], models: { fast: model }, tasks: { review: task } }),
    );
    const { exitCode, log } = runSteps({ OPENAI_API_KEY: '' });
    expect(log).toMatch(/error\[E05\].*OPENAI_API_KEY/);
    expect(exitCode).toBe(4);
    expect(place.read('step-summary.md')).toContain('not evaluated');
  });
});
