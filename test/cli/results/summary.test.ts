import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { documents, goodAnswer, lastRecord, manifest, type Project, project } from '../../e2e/project.ts';
import { answerJson, startScriptedServer } from '../../providers/scripted-server.ts';
import { aieval, type Ended } from '../binary.ts';

const LIMIT_MS = 60_000;
const QUICKSTART = fileURLToPath(new URL('../../../fixtures/quickstart', import.meta.url));

/** A finished run of 20 jobs: 15 results pass, 4 fail, 1 could not be evaluated. */
let place: Project;
let folder = '';

beforeAll(async () => {
  place = project();
  cpSync(QUICKSTART, join(place.dir, 'quickstart'), { recursive: true });
  const { stdout } = await place.aieval('run', 'quickstart/manifest.json', '--json', '--exit-zero');
  folder = `.aieval/runs/${String(lastRecord(stdout).run)}`;
  cpSync(join(place.dir, folder, 'results.jsonl'), join(place.dir, 'results.jsonl'));
}, LIMIT_MS);
afterAll(() => place.remove());

const results = () => place.read('results.jsonl').trimEnd().split('\n');

async function fromStdin(stdin: string, ...args: string[]): Promise<Ended> {
  return await aieval(['summary', '--from', '-', ...args], { cwd: '/', stdin });
}

describe('aieval summary', () => {
  test.each([['md'], ['txt'], ['json']])(
    'as %s is the same bytes from the database and from results.jsonl',
    async (format) => {
      const fromStore = await place.aieval('summary', '--format', format);
      expect(fromStore).toMatchObject({ exitCode: 0, stderr: '' });
      expect(await place.aieval('summary', '--from', 'results.jsonl', '--format', format)).toEqual(fromStore);
      expect(await fromStdin(place.read('results.jsonl'), '--format', format)).toEqual(fromStore);
    },
    LIMIT_MS,
  );

  test('is the file in the folder of the run, but for its links, which are dead elsewhere', async () => {
    const [{ stdout }, file] = [await place.aieval('summary'), place.read(`${folder}/summary.md`)];
    expect(file).toContain('](jobs/');
    expect(stdout).toBe(file.replaceAll(/\[(`[^`]+`)\]\([a-z][^)]*\)/g, '$1'));
  });

  test('with --json is a JSON document, and no other format', async () => {
    const { stdout } = await place.aieval('summary', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ v: 1, verdict: 'pass', privacy: 'quote', results: { pass: 15, fail: 4, error: 1 } });
    expect(await place.aieval('summary', '--json', '--format', 'md')).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringContaining('--json and --format md exclude each other'),
    });
  });

  test('as annotations has the headline, and one beside each document', async () => {
    const lines = (await place.aieval('summary', '--format', 'github')).stdout.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^::notice title=aieval%3A PASS::quickstart · 78\.9 %25 pass \(gate 75 %25\) · 1 not evaluated%0A/);
    expect(lines.slice(1).every((line) => line.startsWith('::error file=quickstart/documents/'))).toBe(true);
    expect(lines).toHaveLength(6);
  });

  test('as annotations of a file of results names those documents that are found from here', async () => {
    const options = ['summary', '--from', join(place.dir, 'results.jsonl'), '--format', 'github'];
    const at = async (cwd: string) => (await aieval(options, { cwd, env: { GITHUB_WORKSPACE: place.dir } })).stdout;
    expect(await at(join(place.dir, 'quickstart'))).toContain('::error file=quickstart/documents/');
    expect(await at(place.dir)).not.toContain('file=');
  });

  test('links to the artifacts and the report, and fits where little has room', async () => {
    const urls = ['--artifact-url', 'https://example.org/run 1', '--report-url', 'https://example.org/report.html'];
    const { stdout } = await place.aieval('summary', ...urls);
    expect(stdout).toContain('](https://example.org/run%201/jobs/');
    expect(stdout).toContain(' · [full report](https://example.org/report.html)\n');
    const short = (await place.aieval('summary', '--max-chars', '1000', ...urls)).stdout;
    expect(short.length).toBeLessThanOrEqual(1000);
    expect(short).toContain('### ✅ aieval: PASS');
    expect(short).toContain('(1,000-character limit)');
    expect(short).toContain('[full report](https://example.org/report.html)');
  });

  test('has no ANSI in a pipe, whatever is asked for', async () => {
    for (const format of ['md', 'txt', 'json', 'github']) {
      const { stdout } = await aieval(['summary', '--format', format], { cwd: place.dir, env: { FORCE_COLOR: '1' } });
      expect(stdout).not.toContain('\u001b');
    }
  });

  test(
    'of a run whose folder is gone, or cannot be written, is what it was',
    async () => {
      const before = await place.aieval('summary');
      rmSync(join(place.dir, folder), { recursive: true });
      expect(await place.aieval('summary')).toEqual(before);
      rmSync(join(place.dir, '.aieval/runs'), { recursive: true });
      writeFileSync(join(place.dir, '.aieval/runs'), 'a file where the folder should be');
      const stuck = await place.aieval('summary');
      expect(stuck).toMatchObject({ exitCode: 0, stdout: before.stdout });
      expect(stuck.stderr).toMatch(/^warning: the files of r-\w+ are not written: /);
      rmSync(join(place.dir, '.aieval/runs'));
      expect(await place.aieval('summary')).toEqual(before);
    },
    LIMIT_MS,
  );
});

describe('aieval summary --from', () => {
  test('needs neither a database nor the run, and takes no RUN beside it', async () => {
    expect(await place.aieval('summary', 'r-other', '--from', 'results.jsonl')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--from reads the run in results.jsonl, so r-other has no meaning'),
    });
  });

  test.each([
    ['that is cut inside a line', () => results().join('\n').slice(0, -300), 'stdin:21: not JSON: the file was cut in this line'],
    ['with a broken line', () => [...results().slice(0, 4), '{"v":1', ...results().slice(5)].join('\n'), 'stdin:5: not JSON'],
    ['that is another file', () => '{"v":1}\n', 'stdin:1: kind: '],
    ['that is empty', () => '', 'stdin:1: the file is empty'],
  ])('of a file %s names the line and exits 2', async (_, text, message) => {
    const ended = await fromStdin(text());
    expect(ended).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ended.stderr).toContain(`error[E02]: ${message}`);
  });

  test('of a file whose tail is missing is INCOMPLETE', async () => {
    const { stdout, exitCode } = await fromStdin(`${results().slice(0, -5).join('\n')}\n`);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('### ⚠️ aieval: INCOMPLETE — 1 of 15 results not evaluated, 5 % allowed · 5 of 20 jobs missing · ');
  });

  test('of a file of a later version is read as far as it is known', async () => {
    const later = results().map((line) => JSON.stringify({ ...JSON.parse(line), news: { of: 'a later version' } }));
    expect((await fromStdin(`${later.join('\n')}\n`)).stdout).toBe((await place.aieval('summary', '--from', 'results.jsonl')).stdout);
  });

  test.each([
    ['planning', '⏳ aieval: PLANNING — '],
    ['open', '⏳ aieval: UNFINISHED 10/20 — '],
    ['paused', '⏸️ aieval: PAUSED 10/20 — '],
    ['cancelled', '⏹️ aieval: CANCELLED 10/20 — incomplete · '],
  ])('of a run that is %s says so', async (state, headline) => {
    const [first = '', ...lines] = results();
    const header = JSON.parse(first);
    const text = [JSON.stringify({ ...header, run: { ...header.run, state, finishedAt: null } }), ...lines.slice(0, 10)].join('\n');
    expect((await fromStdin(text)).stdout.split('\n')[1]).toMatch(`### ${headline}`);
  });
});

test(
  'a run that is stopped by its budget, paused and cancelled says each of it',
  async () => {
    const server = await startScriptedServer({ respond: ({ prompt }) => answerJson(goodAnswer(prompt)) });
    const dear = { provider: 'lab', model: 'small', price: { inputPerMTok: 0, outputPerMTok: 10_000 }, params: { maxOutputTokens: 100 } };
    const text = manifest(server.baseUrl, { models: { small: dear }, concurrency: 1, budget: { usd: 1.25 } });
    const poor = project({ files: { 'manifest.json': text, ...documents(5) } });
    try {
      expect((await poor.aieval('run', 'manifest.json')).exitCode).toBe(6);
      const headline = async () => (await poor.aieval('summary')).stdout.split('\n')[1];
      expect(await headline()).toBe('### ⏸️ aieval: BUDGET REACHED 3/5 — budget.usd is reached · 100.0 % pass so far (gate 100 %)');
      expect((await poor.aieval('pause')).exitCode).toBe(0);
      expect(await headline()).toBe('### ⏸️ aieval: PAUSED 3/5 — 100.0 % pass so far (gate 100 %)');
      expect((await poor.aieval('summary')).stdout).toMatch(/2 jobs of 5 still open when this was written\. `aieval resume r-\w+` goes on/);
      expect((await poor.aieval('cancel')).exitCode).toBe(0);
      expect(await headline()).toBe('### ⏹️ aieval: CANCELLED 3/5 — incomplete · 2 of 5 results not evaluated · 100.0 % pass (gate 100 %)');
    } finally {
      poor.remove();
      await server.close();
    }
  },
  LIMIT_MS,
);

test('a run in which no job keeps a folder has an empty one: its files do not count as gone', { timeout: LIMIT_MS }, async () => {
  const server = await startScriptedServer({ respond: ({ prompt }) => answerJson(goodAnswer(prompt)) });
  const tidy = project({ files: { 'manifest.json': manifest(server.baseUrl, { artifacts: 'failures' }), ...documents(2) } });
  try {
    const { run } = lastRecord((await tidy.aieval('run', 'manifest.json', '--json')).stdout);
    expect(readdirSync(join(tidy.dir, `.aieval/runs/${String(run)}/jobs`))).toEqual([]);
  } finally {
    tidy.remove();
    await server.close();
  }
});

test(
  'with privacy.evidence "none" no format has a word of a document or a model',
  async () => {
    const secret = project();
    try {
      cpSync(QUICKSTART, join(secret.dir, 'quickstart'), { recursive: true });
      const path = join(secret.dir, 'quickstart/manifest.json');
      writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), privacy: { evidence: 'none' } }));
      await secret.aieval('run', 'quickstart/manifest.json');
      for (const format of ['md', 'txt', 'json', 'github']) {
        const { stdout } = await secret.aieval('summary', '--format', format);
        expect(stdout).toContain('documents/uart-registers.md');
        expect(stdout).not.toMatch(/12 Mbit|refresh commands|Lindqvist|delivering drugs|43\.2/);
      }
    } finally {
      secret.remove();
    }
  },
  LIMIT_MS,
);
