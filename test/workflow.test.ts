import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } from '@actions/workflow-parser';
import { ErrorPolicy } from '@actions/workflow-parser/model/convert';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { BINARY } from './cli/binary.ts';
import { type Project, project } from './e2e/project.ts';

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const CI_PAGE = readFileSync(new URL('../docs/ci.md', import.meta.url), 'utf8');
const QUICKSTART = fileURLToPath(new URL('../fixtures/quickstart', import.meta.url));
const [, WORKFLOW = ''] = /```yaml\n(name: aieval\n.*?)```/s.exec(README) ?? [];

type Step = { readonly name?: string; readonly run?: string; readonly uses?: string; readonly if?: string };
const STEPS: readonly Step[] = parse(WORKFLOW).jobs.review.steps;

/** What a server runs in a shell; `always`: after a failure, too. */
type Script = { readonly run: string; readonly always: boolean };

let place: Project;
beforeEach(() => {
  place = project();
  writeFileSync(join(place.dir, 'aieval'), `#!/bin/sh\nexec ${process.execPath} ${BINARY} "$@"\n`);
  chmodSync(join(place.dir, 'aieval'), 0o755);
});
afterEach(() => place.remove());

/** As a runner does: each script by `bash -e`; after a failure only what runs always. */
function runScripts(
  scripts: readonly Script[],
  env: Readonly<Record<string, string>>,
): { readonly exitCode: number; readonly log: string } {
  let [exitCode, log] = [0, ''];
  for (const { run, always } of scripts) {
    if (run.startsWith('npm install') || (exitCode !== 0 && !always)) continue;
    const { status, stdout, stderr } = spawnSync('bash', ['-e', '-c', run], {
      cwd: place.dir,
      env: { PATH: `${place.dir}:${process.env.PATH}`, HOME: place.dir, CI: 'true', ...env },
      encoding: 'utf8',
    });
    log += stdout + stderr;
    if (exitCode === 0) exitCode = status ?? 1;
  }
  return { exitCode, log };
}

/** The workspace of the next job: what the server kept of the last one, and nothing else. */
function forgetState(): void {
  rmSync(join(place.dir, '.aieval'), { recursive: true });
}

describe("the README's workflow", () => {
  function runSteps(env: Readonly<Record<string, string>> = {}): { readonly exitCode: number; readonly log: string } {
    const scripts = STEPS.flatMap((step) => (step.run === undefined ? [] : [{ run: step.run, always: step.if === 'always()' }]));
    return runScripts(scripts, { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: join(place.dir, 'step-summary.md'), ...env });
  }

  test("is valid by GitHub's own parser", async () => {
    const { context, value } = parseWorkflow({ name: 'aieval.yml', content: WORKFLOW }, new NoOperationTraceWriter());
    expect(context.errors.getErrors()).toEqual([]);
    if (value === undefined) throw new Error('no workflow was parsed');
    const template = await convertWorkflowTemplate(context, value, undefined, { errorPolicy: ErrorPolicy.TryConversion });
    expect(template.errors ?? []).toEqual([]);
    expect(STEPS.filter(({ uses }) => uses !== undefined && !/^[\w-]+\/[\w-]+(?:\/[\w-]+)?@v\d+$/.test(uses))).toEqual([]);
  });

  // https://github.com/npm/cli/issues/8440: such a package is not built, and the install fails.
  test('installs nothing from git globally, nor does docs/ci.md', () => {
    expect(README + CI_PAGE).toContain('npm install --prefix');
    expect(README + CI_PAGE).not.toMatch(/npm (?:i|install)\b.*(?:-g|--global)\b.*git\+/);
  });

  test('plans, runs, and leaves summary, report, JUnit and the answers for the next run', { timeout: 120_000 }, () => {
    cpSync(QUICKSTART, place.dir, { recursive: true });
    expect(runSteps()).toMatchObject({ exitCode: 0 });
    expect(place.read('step-summary.md')).toBe(place.read('summary.md'));
    expect(place.read('summary.md')).toContain('aieval: PASS');
    for (const file of ['report.html', 'junit.xml', 'cache.jsonl']) expect(existsSync(join(place.dir, file)), file).toBe(true);

    forgetState();
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

describe('docs/ci.md', () => {
  const scriptsOf = (lines: readonly string[], always: boolean): Script[] => lines.map((run) => ({ run, always }));

  test('has a job for GitLab that runs, leaves its files, and the answers for the next one', { timeout: 120_000 }, () => {
    const [, text = ''] = /```yaml\n(.*?)```/s.exec(CI_PAGE) ?? [];
    const { aieval: job } = parse(text);
    const scripts = [...scriptsOf([...job.before_script, ...job.script], false), ...scriptsOf(job.after_script, true)];
    cpSync(QUICKSTART, place.dir, { recursive: true });
    expect(runScripts(scripts, {})).toMatchObject({ exitCode: 0 });
    for (const file of [...job.cache.paths, ...job.artifacts.paths, job.artifacts.reports.junit]) {
      expect(existsSync(join(place.dir, file)), file).toBe(true);
    }
    forgetState();
    expect(runScripts(scripts, {}).log).toMatch(/cached=19\b/);
  });

  test('has a pipeline for Jenkins that runs, and whose files are there after a failure, too', { timeout: 120_000 }, () => {
    const [, text = ''] = /```groovy\n(.*?)```/s.exec(CI_PAGE) ?? [];
    const [stages = [], post = []] = text.split('post {').map((part) => [...part.matchAll(/sh '([^']+)'/g)].map(([, run = '']) => run));
    const scripts = [...scriptsOf(stages, false), ...scriptsOf(post, true)];
    cpSync(QUICKSTART, place.dir, { recursive: true });
    const manifest = JSON.parse(place.read('manifest.json'));
    place.write('manifest.json', JSON.stringify({ ...manifest, gate: { minPassRate: 1, maxErrorRate: 1 } }));
    expect(runScripts(scripts, {})).toMatchObject({ exitCode: 1 });
    for (const file of ['junit.xml', 'report.html', 'summary.md']) {
      expect(text).toContain(file);
      expect(existsSync(join(place.dir, file)), file).toBe(true);
    }
  });
});
