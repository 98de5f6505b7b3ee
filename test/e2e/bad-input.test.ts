import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { afterEach, describe, expect, test } from 'vitest';
import { aieval as runBinary } from '../cli/binary.ts';
import { answer, answerJson, apiError, cut, html, type ScriptedServer, startScriptedServer } from '../providers/scripted-server.ts';
import { documents, goodAnswer, lastRecord, manifest, type Project, type ProjectOptions, project } from './project.ts';

const undo: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

async function server(script: Parameters<typeof startScriptedServer>[0]): Promise<ScriptedServer> {
  const started = await startScriptedServer(script);
  undo.push(started.close);
  return started;
}

function folder(files: Record<string, string | Uint8Array>, env?: ProjectOptions['env']): Project {
  const made = project({ files, ...(env === undefined ? {} : { env }) });
  undo.push(made.remove);
  return made;
}

const NOWHERE = 'http://127.0.0.1:9/v1';

describe('a wrong manifest exits 2 with its place and the next command, and spends nothing', () => {
  test('no such file', async () => {
    const { aieval } = folder({ 'manifset.json': '{}' });
    const { exitCode, stderr } = await aieval('run', 'manifest.json');
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^error\[E01\]: .*manifest\.json.*manifset\.json/);
    expect(stderr).toContain('next: ');
  });

  test('broken JSON', async () => {
    const { aieval } = folder({ 'manifest.json': '{\n  "version": 1\n  "documents": []\n}' });
    const { exitCode, stderr } = await aieval('run', 'manifest.json');
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^error\[E02\]: manifest\.json:\d+:\d+: /);
  });

  test('unknown keys, all in one go', async () => {
    const { aieval } = folder({ 'manifest.json': manifest(NOWHERE, { documnets: [], gait: {} }), ...documents(1) });
    const { exitCode, stderr } = await aieval('run', 'manifest.json');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('Did you mean "documents"?');
    expect(stderr).toContain('"gait"');
  });

  test('a field of a later version', async () => {
    const { aieval } = folder({ 'manifest.json': manifest(NOWHERE, { baseline: 'r-1' }), ...documents(1) });
    const { exitCode, stderr } = await aieval('run', 'manifest.json');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('not supported yet');
  });

  test('a glob without a match', async () => {
    const { aieval } = folder({ 'manifest.json': manifest(NOWHERE, { documents: ['specs/*.markdown'] }), ...documents(2) });
    const { exitCode, stderr } = await aieval('run', 'manifest.json');
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(
      /^error\[E03\]: manifest\.json:\d+:\d+: documents\[0\] "specs\/\*\.markdown" matches no file \(base .*2 files end in \.md\)/,
    );
  });

  test('what run, plan and validate list is the same: fields, documents and files in one go, each with its place', async () => {
    const parsed = JSON.parse(manifest(NOWHERE));
    const output = { ...parsed.tasks.quotes.output, schema: 'gone.json' };
    const wrong = { ...parsed, documents: ['zz/*.md'], tasks: { quotes: { ...parsed.tasks.quotes, output } }, gait: {} };
    const { aieval } = folder({ 'manifest.json': JSON.stringify(wrong, null, 1), ...documents(1) });
    const problemsOf = async (command: string): Promise<string[]> => {
      const { exitCode, stderr } = await aieval(command, 'manifest.json');
      expect(exitCode).toBe(2);
      const listed = stderr.replaceAll(/^error\[E\d\d\]: /gm, '').replaceAll(/: E\d\d: /g, ': ');
      return listed.split('\n').filter((line) => line.startsWith('manifest.json:'));
    };
    const problems = await problemsOf('validate');
    expect(problems).toEqual([
      expect.stringMatching(/^manifest\.json:\d+:\d+: documents\[0\] "zz\/\*\.md" matches no file/),
      expect.stringMatching(/^manifest\.json:\d+:\d+: tasks\.quotes\.output\.schema: gone\.json not found/),
      expect.stringMatching(/^manifest\.json:\d+:\d+: unknown key "gait"/),
    ]);
    expect([await problemsOf('plan'), await problemsOf('run')]).toEqual([problems, problems]);
  });

  test('a matrix that selects nothing exits 5', async () => {
    const { aieval } = folder({ 'manifest.json': manifest(NOWHERE, { matrix: { exclude: [{ document: '**' }] } }), ...documents(1) });
    expect((await aieval('run', 'manifest.json')).exitCode).toBe(5);
  });

  test('more jobs than maxJobs', async () => {
    const { aieval } = folder({ 'manifest.json': manifest(NOWHERE, { maxJobs: 2 }), ...documents(3) });
    const { exitCode, stderr } = await aieval('run', 'manifest.json');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('maxJobs');
  });
});

describe('a key or an endpoint that cannot be used exits 4 before anything is sent', () => {
  test('a missing key variable', async () => {
    const { baseUrl, requests } = await server({ respond: () => answer('') });
    const providers = { lab: { type: 'openai', baseUrl, apiKeyEnv: 'LAB_KEY' } };
    const { aieval } = folder({ 'manifest.json': manifest(baseUrl, { providers }), ...documents(1) });
    const { exitCode, stderr } = await aieval('run', 'manifest.json');
    expect(exitCode).toBe(4);
    expect(stderr).toContain('error[E05]: provider "lab" needs LAB_KEY (providers.lab.apiKeyEnv), which is not set');
    expect(requests).toHaveLength(0);
  });

  test('a refused key', async () => {
    const refuse = apiError(401, { message: 'bad key', type: 'invalid_request_error', code: 'invalid_api_key' });
    const { baseUrl, requests } = await server({ respond: () => refuse, models: refuse });
    const providers = { lab: { type: 'openai', baseUrl, apiKeyEnv: 'LAB_KEY' } };
    const { aieval } = folder({ 'manifest.json': manifest(baseUrl, { providers }), ...documents(1) }, { LAB_KEY: 'lab-key-0123456789' });
    const { exitCode, stderr } = await aieval('run', 'manifest.json');
    expect(exitCode).toBe(4);
    expect(stderr).toContain('error[E12]');
    expect(stderr).not.toContain('lab-key-0123456789');
    expect(requests).toHaveLength(0);
  });

  test('an unknown model', async () => {
    const { baseUrl, requests } = await server({ respond: () => answer(''), models: ['smaller', 'tiny'] });
    const { aieval } = folder({ 'manifest.json': manifest(baseUrl), ...documents(1) });
    const { exitCode, stderr } = await aieval('run', 'manifest.json');
    expect(exitCode).toBe(4);
    expect(stderr).toMatch(/error\[E13\].*"small".*smaller/);
    expect(requests).toHaveLength(0);
  });

  test('an unreachable server; the same command works once it is there', async () => {
    const { baseUrl, close } = await server({ respond: () => answer('') });
    await close();
    const { aieval } = folder({ 'manifest.json': manifest(baseUrl), ...documents(2) });
    const { exitCode, stderr } = await aieval('run', 'manifest.json');
    expect(exitCode).toBe(4);
    expect(stderr).toMatch(/error\[E14\].*ECONNREFUSED/);
    await server({ respond: ({ prompt }) => answerJson(goodAnswer(prompt)), port: Number(new URL(baseUrl).port) });
    const again = await aieval('run', 'manifest.json', '--json');
    expect(lastRecord(again.stdout)).toMatchObject({ exitCode: 0, jobs: { succeeded: 2 }, calls: 2 });
  });

  test('a key that is refused in the middle: the rest stays queued, nothing is lost, a good key continues', async () => {
    let refused = true;
    const bad = apiError(401, { message: 'bad key', type: 'invalid_request_error', code: 'invalid_api_key' });
    const { baseUrl } = await server({ respond: ({ prompt, n }) => (refused && n > 2 ? bad : answerJson(goodAnswer(prompt))) });
    const { aieval } = folder({ 'manifest.json': manifest(baseUrl, { concurrency: 1 }), ...documents(5) });
    const first = await aieval('run', 'manifest.json', '--json');
    expect(lastRecord(first.stdout)).toMatchObject({ exitCode: 3, verdict: 'incomplete', jobs: { succeeded: 2, queued: 3, failed: 0 } });
    refused = false;
    const second = await aieval('run', 'manifest.json', '--json');
    expect(lastRecord(second.stdout)).toMatchObject({ exitCode: 0, jobs: { succeeded: 5 } });
  });
});

describe('a bad answer ends in the DLQ with its reason, and costs one job only', () => {
  const quick = { retry: { attempts: 1 } };
  const task = (reask: number): object => {
    const parsed = JSON.parse(manifest(''));
    return { tasks: { quotes: { ...parsed.tasks.quotes, output: { ...parsed.tasks.quotes.output, reask } } } };
  };

  test.each([
    ['not JSON', answer('Here you are.'), 'invalid_answer'],
    ['empty', answer(''), 'empty_answer'],
    ['cut by the output limit', answer('{"findings": [', { finishReason: 'length' }), 'truncated'],
    ['refused', answer('', { refusal: 'I cannot help with that.' }), 'refused'],
    ['a stream that ends half way', cut('{"findings": [', 'fin'), 'stream_cut'],
    ['a connection that breaks half way', cut('{"findings": [', 'rst'), 'stream_cut'],
    ['a bad request', apiError(400, { message: 'this question is not one', type: 'invalid_request_error' }), 'bad_request'],
    ['a server error', apiError(500, { message: 'oops', type: 'server_error' }), 'server_error'],
  ])('%s', async (_, scenario, reason) => {
    const { baseUrl } = await server({
      respond: ({ prompt }) => (prompt.includes('Device 01') ? scenario : answerJson(goodAnswer(prompt))),
    });
    const { aieval } = folder({ 'manifest.json': manifest(baseUrl, { ...quick, ...task(0) }), ...documents(2) });
    const { exitCode, stdout } = await aieval('run', 'manifest.json', '--json');
    expect(exitCode).toBe(3);
    expect(lastRecord(stdout)).toMatchObject({ jobs: { succeeded: 1, failed: 1 } });
    const status = JSON.parse((await aieval('status', '--json')).stdout);
    expect(status.dlq).toEqual([{ reason, count: 1 }]);
  });

  test('a provider that wants a pause of days is left alone, by the next run too, until the run is resumed', async () => {
    let busy = true;
    const wait = apiError(429, { message: 'daily limit', type: 'requests', code: 'rate_limit_exceeded' }, { 'retry-after': '99999999999' });
    const { baseUrl, requests } = await server({ respond: ({ prompt }) => (busy ? wait : answerJson(goodAnswer(prompt))) });
    const { aieval } = folder({ 'manifest.json': manifest(baseUrl, { concurrency: 1 }), ...documents(3) });
    const { exitCode, stdout, stderr } = await aieval('run', 'manifest.json', '--json', '--display', 'plain');
    expect(exitCode).toBe(3);
    expect(lastRecord(stdout)).toMatchObject({ jobs: { queued: 3, failed: 0 } });
    expect(stderr).toContain('asks to wait');
    expect(requests).toHaveLength(1);
    busy = false;
    expect((await aieval('run', 'manifest.json')).exitCode).toBe(3);
    expect(requests).toHaveLength(1);
    await aieval('resume');
    expect(lastRecord((await aieval('run', 'manifest.json', '--json')).stdout)).toMatchObject({ exitCode: 0, jobs: { succeeded: 3 } });
  });

  test('a login page instead of an API stops the run: every job would meet it', async () => {
    const { baseUrl, requests } = await server({ respond: () => html(200, '<!doctype html><title>Sign in</title>') });
    const { aieval } = folder({ 'manifest.json': manifest(baseUrl, { concurrency: 1 }), ...documents(5) });
    const { exitCode, stdout } = await aieval('run', 'manifest.json', '--json');
    expect(exitCode).toBe(4);
    expect(lastRecord(stdout)).toMatchObject({ jobs: { queued: 5, failed: 0 } });
    expect(requests).toHaveLength(1);
  });
});

describe('storage that cannot be used exits 8', () => {
  test('a folder that cannot be written', async () => {
    const { aieval, write } = folder({ 'manifest.json': manifest(NOWHERE), ...documents(1) });
    write('.aieval', 'a file where the folder should be');
    const { exitCode, stderr } = await aieval('run', 'manifest.json');
    expect(exitCode).toBe(8);
    expect(stderr).toMatch(/^error\[E2\d\]: /);
    expect(stderr).toContain('next: ');
  });

  test('a database of a newer version', async () => {
    const { aieval, dir } = folder({ 'manifest.json': manifest(NOWHERE), ...documents(1) });
    mkdirSync(join(dir, '.aieval'));
    const database = new Database(join(dir, '.aieval', 'aieval.db'));
    database.pragma('user_version = 9999');
    database.close();
    const { exitCode, stderr } = await aieval('run', 'manifest.json');
    expect(exitCode).toBe(8);
    expect(stderr).toContain('error[E22]');
  });

  test('a file that is no database', async () => {
    const { aieval } = folder({
      'manifest.json': manifest(NOWHERE),
      ...documents(1),
      'notes.db': 'These are my notes, not a database. '.repeat(40),
    });
    const { exitCode, stderr } = await aieval('run', 'manifest.json', '--db', 'notes.db');
    expect(exitCode).toBe(8);
    expect(stderr).toContain('is not a database');
  });
});

describe('a broken installation', () => {
  /** The program's files without dist, and a node_modules of its own. */
  function installation(parts: readonly string[]): string {
    const dir = mkdtempSync(join(tmpdir(), 'aieval-install-'));
    undo.push(() => rmSync(dir, { recursive: true, force: true }));
    for (const part of ['bin', 'package.json', ...parts])
      cpSync(fileURLToPath(new URL(`../../${part}`, import.meta.url)), join(dir, part), { recursive: true });
    return dir;
  }

  test('without dist says how to build it', async () => {
    const dir = installation([]);
    const { exitCode, stderr } = await runBinary(['status'], { cwd: dir, binary: join(dir, 'bin/aieval.js') });
    expect(exitCode).toBe(70);
    expect(stderr).toContain('npm run build');
  });

  test('without the native module says how to rebuild it and exits 8', async () => {
    const dir = installation(['dist']);
    const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));
    mkdirSync(join(dir, 'node_modules'));
    const bare = join(dir, 'node_modules/better-sqlite3');
    cpSync(join(modules, 'better-sqlite3'), bare, {
      recursive: true,
      filter: (path) => !path.endsWith('.node') && !path.includes('/deps'),
    });
    for (const name of [
      'bindings',
      'file-uri-to-path',
      'commander',
      'zod',
      'piscina',
      'p-queue',
      'eventemitter3',
      'p-timeout',
      'jsonc-parser',
      'yaml',
      'picomatch',
      'tinyglobby',
      'fdir',
      'ajv',
      'ajv-formats',
      'fast-deep-equal',
      'fast-uri',
      'json-schema-traverse',
      'require-from-string',
      'cli-table3',
      'string-width',
    ]) {
      symlinkSync(join(modules, name), join(dir, 'node_modules', name));
    }
    writeFileSync(join(dir, 'manifest.json'), manifest(NOWHERE));
    mkdirSync(join(dir, 'docs'));
    writeFileSync(join(dir, 'docs/a.md'), 'Text.\n');
    const { exitCode, stderr } = await runBinary(['run', 'manifest.json'], { cwd: dir, binary: join(dir, 'bin/aieval.js') });
    expect(stderr).toContain('npm rebuild better-sqlite3 --ignore-scripts=false');
    expect(exitCode).toBe(8);
  });
});
