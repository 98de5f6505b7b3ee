import { spawn, spawnSync } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { BINARY, type Ended, ended } from '../cli/binary.ts';
import { answerJson, type ScriptedServer, startScriptedServer } from '../providers/scripted-server.ts';
import { documents, goodAnswer, lastRecord, manifest, type Project, project } from './project.ts';

// Each test starts many processes, on a machine that may be busy.
vi.setConfig({ testTimeout: 120_000 });

const undo: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

async function answeringServer(): Promise<ScriptedServer> {
  const started = await startScriptedServer({ respond: ({ prompt }) => answerJson(goodAnswer(prompt)) });
  undo.push(started.close);
  return started;
}

/** A folder of its own with the first documents of a series, so that folders share some. */
function folder(baseUrl: string, count: number): Project {
  const made = project({ files: { 'manifest.json': manifest(baseUrl), ...documents(count) } });
  undo.push(made.remove);
  return made;
}

/** A command that reads a file as its standard input. */
function fed(place: Project, path: string, ...args: string[]): Promise<Ended> {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [BINARY, ...args], { cwd: place.dir, env: { PATH, HOME }, stdio: ['pipe', 'pipe', 'pipe'] });
  createReadStream(join(place.dir, path)).pipe(child.stdin);
  return ended(child);
}

const entriesOf = (text: string): { key: string }[] =>
  text
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line));

describe('a cache that moves', () => {
  test('answers in another folder without a call, and shows where each answer was paid for', async () => {
    const { baseUrl, requests } = await answeringServer();
    const [there, here] = [folder(baseUrl, 3), folder(baseUrl, 3)];
    const { run } = lastRecord((await there.aieval('run', 'manifest.json', '--json')).stdout);
    const exported = await there.aieval('cache', 'export', 'cache.jsonl', '--json');
    expect(JSON.parse(exported.stdout)).toEqual({ v: 1, file: 'cache.jsonl', entries: 3, sizeBytes: expect.any(Number) });
    const text = there.read('cache.jsonl');
    expect(JSON.parse(text.split('\n')[0] ?? '')).toEqual({ v: 1, kind: 'aieval-cache' });
    expect(Buffer.byteLength(text)).toBe(JSON.parse(exported.stdout).sizeBytes);

    here.write('theirs.jsonl', text);
    const imported = await here.aieval('cache', 'import', 'theirs.jsonl', '--json');
    expect(imported.exitCode).toBe(0);
    expect(JSON.parse(imported.stdout)).toEqual({
      v: 1,
      added: 3,
      replaced: 0,
      kept: 0,
      conflicts: 0,
      refused: 0,
      unread: 0,
      problems: [],
    });
    const again = await here.aieval('run', 'manifest.json', '--json');
    expect(lastRecord(again.stdout)).toMatchObject({ exitCode: 0, verdict: 'pass', calls: 0, cacheHits: 3, results: { pass: 3 } });
    expect(requests).toHaveLength(3);

    const lines = here
      .read(`.aieval/runs/${lastRecord(again.stdout).run}/results.jsonl`)
      .trimEnd()
      .split('\n')
      .slice(1);
    for (const line of lines) {
      expect(JSON.parse(line)).toMatchObject({
        cached: true,
        costUsd: 0,
        origin: { runId: run, jobId: expect.any(String), costUsd: expect.any(Number), latencyMs: expect.any(Number) },
      });
    }
    expect((await here.aieval('show', 'docs/01.md:quotes:small')).stdout).toContain(String(run));
    // A second export is the same file.
    expect((await here.aieval('cache', 'export', '-')).stdout).toBe(text);
  });

  test('two branches that import each other hold the same, whoever imports what first', async () => {
    const { baseUrl, requests } = await answeringServer();
    const [one, two] = [folder(baseUrl, 3), folder(baseUrl, 5)];
    for (const [place, name] of [[one, 'one'] as const, [two, 'two'] as const]) {
      await place.aieval('run', 'manifest.json');
      await place.aieval('cache', 'export', `${name}.jsonl`);
    }
    expect(requests).toHaveLength(8);
    const both = [one.read('one.jsonl'), two.read('two.jsonl')] as const;
    one.write('two.jsonl', both[1]);
    two.write('one.jsonl', both[0]);
    expect((await one.aieval('cache', 'import', 'two.jsonl')).stdout).toContain('Imported 5 answers: 2 new, 3 newer');
    expect((await two.aieval('cache', 'import', 'one.jsonl')).stdout).toContain('3 known already');
    const merged = (await one.aieval('cache', 'export')).stdout;
    expect(entriesOf(merged)).toHaveLength(5);
    expect((await two.aieval('cache', 'export')).stdout).toBe(merged);
    // A third place takes both at once, from a pipe, joined as lines are.
    const third = folder(baseUrl, 5);
    third.write('both.jsonl', both[1] + both[0]);
    expect((await fed(third, 'both.jsonl', 'cache', 'import', '-')).exitCode).toBe(0);
    expect((await third.aieval('cache', 'export')).stdout).toBe(merged);
    expect(lastRecord((await third.aieval('run', 'manifest.json', '--json')).stdout)).toMatchObject({ calls: 0, results: { pass: 5 } });
    expect(requests).toHaveLength(8);
  });

  test('damaged lines are named and left out; the others count', async () => {
    const { baseUrl } = await answeringServer();
    const [there, here] = [folder(baseUrl, 4), folder(baseUrl, 4)];
    await there.aieval('run', 'manifest.json');
    await there.aieval('cache', 'export', 'cache.jsonl');
    const [header = '', first = '', second = '', third = '', fourth = ''] = there.read('cache.jsonl').split('\n');
    const otherQuestion = { ...JSON.parse(second), keyRecord: { ...JSON.parse(second).keyRecord, model: 'other' } };
    const noAnswer = { ...JSON.parse(third), completion: { ...JSON.parse(third).completion, finishReason: 'maybe' } };
    const lines = [header, first, JSON.stringify(otherQuestion), JSON.stringify(noAnswer), fourth.slice(0, -20)];
    here.write('cache.jsonl', lines.join('\n'));
    const { exitCode, stdout, stderr } = await here.aieval('cache', 'import', 'cache.jsonl', '--json');
    expect(exitCode).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ added: 1, refused: 3, problems: [{ line: 3 }, { line: 4 }, { line: 5 }] });
    expect(stderr).toContain('cache.jsonl:3: the key is not the hash of "keyRecord"');
    expect(stderr).toContain('cache.jsonl:4: completion.finishReason:');
    expect(stderr).toContain('cache.jsonl:5: not JSON');
    expect(JSON.parse((await here.aieval('cache', 'stats', '--json')).stdout)).toMatchObject({ entries: 1 });
  });

  test('a file of another kind is refused whole', async () => {
    const here = folder('http://127.0.0.1:9/v1', 1);
    here.write('newer.jsonl', '{"v":2,"kind":"aieval-cache"}\n');
    here.write('empty.jsonl', '');
    const other = await here.aieval('cache', 'import', 'manifest.json');
    expect(other).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('manifest.json:1: not an exported cache') });
    expect((await here.aieval('cache', 'import', 'newer.jsonl')).stderr).toContain('written by a newer aieval (format 2');
    expect((await here.aieval('cache', 'import', 'nowhere.jsonl')).stderr).toContain('error[E01]: nowhere.jsonl: not found');
    expect((await here.aieval('cache', 'import', '.')).exitCode).toBe(2);
    expect(await here.aieval('cache', 'import', 'empty.jsonl')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('empty.jsonl: not an exported cache (it is empty)'),
    });
    here.write('cache.jsonl.gz', gzipSync('{"v":1,"kind":"aieval-cache"}\n'));
    const packed = await here.aieval('cache', 'import', 'cache.jsonl.gz');
    expect(packed).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('cache.jsonl.gz: packed with gzip') });
    expect(packed.stderr).toContain('next: gunzip -c cache.jsonl.gz | aieval cache import -');
  });

  test('a bad file hides no other: all are read, and what came of all is told', async () => {
    const { baseUrl } = await answeringServer();
    const [there, here] = [folder(baseUrl, 2), folder(baseUrl, 2)];
    await there.aieval('run', 'manifest.json');
    const [header = '', first = '', second = ''] = (await there.aieval('cache', 'export')).stdout.split('\n');
    here.write('one.jsonl', `${header}\n${first}\n{}\n`);
    here.write('bad.jsonl', '{}\n');
    // As a shell of Windows writes it.
    here.write('two.jsonl', Buffer.from(`\ufeff${header}\r\n${second}\r\n`, 'utf16le'));
    const { exitCode, stdout, stderr } = await here.aieval('cache', 'import', 'nowhere', 'one.jsonl', 'bad.jsonl', 'two.jsonl', '--json');
    expect(exitCode).toBe(2);
    expect(JSON.parse(stdout)).toEqual({
      ...{ v: 1, added: 2, replaced: 0, kept: 0, conflicts: 0, refused: 1, unread: 2 },
      problems: [
        { file: 'nowhere', line: null, problem: 'not found' },
        { file: 'one.jsonl', line: 3, problem: expect.any(String) },
        { file: 'bad.jsonl', line: 1, problem: expect.stringContaining('not an exported cache') },
      ],
    });
    expect(stderr).toContain('error[E02]: 1 line and 2 files refused; all else is imported\n');
    const alone = await folder(baseUrl, 1).aieval('cache', 'import', 'nowhere', 'nowhere2');
    expect(alone).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining('error[E01]: 2 files refused') });
  });

  test('an answer that the completion does not give, or the schema forbids, is refused', async () => {
    const { baseUrl, requests } = await answeringServer();
    const [there, here] = [folder(baseUrl, 3), folder(baseUrl, 3)];
    await there.aieval('run', 'manifest.json');
    const [header = '', first = '', second = '', third = ''] = (await there.aieval('cache', 'export')).stdout.split('\n');
    const changed = (line: string, changes: object): string => JSON.stringify({ ...JSON.parse(line), ...changes });
    const forged = changed(first, { answer: { findings: [] } });
    const { completion } = JSON.parse(second);
    const invalid = changed(second, { answer: { findings: 1 }, completion: { ...completion, content: '{"findings":1}' } });
    here.write('cache.jsonl', [header, forged, invalid, changed(third, { storedAtMs: 8e15 })].join('\n'));
    const { exitCode, stderr } = await here.aieval('cache', 'import', 'cache.jsonl');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('cache.jsonl:2: the answer is not what "completion.content" says');
    expect(stderr).toContain('cache.jsonl:3: the answer is not valid: /findings');
    expect(stderr).toContain('cache.jsonl:4: storedAtMs: in the future');
    expect(lastRecord((await here.aieval('run', 'manifest.json', '--json')).stdout)).toMatchObject({ calls: 3, cacheHits: 0 });
    expect(requests).toHaveLength(6);
  });

  test('an export is on the disk, with its name, before it is told as done', async (context) => {
    if (spawnSync('strace', ['-o', '/dev/null', 'true']).status !== 0) return context.skip();
    const { baseUrl } = await answeringServer();
    const place = folder(baseUrl, 1);
    await place.aieval('run', 'manifest.json');
    const log = join(place.dir, 'log');
    const calls = ['-f', '-y', '-o', log, '-e', 'trace=fsync,rename,renameat,renameat2,write'];
    const { PATH = '', HOME = '' } = process.env;
    const args = [...calls, process.execPath, BINARY, 'cache', 'export', 'cache.jsonl'];
    expect(spawnSync('strace', args, { cwd: place.dir, env: { PATH, HOME } }).status).toBe(0);
    const events = place.read('log').split('\n');
    const at = (pattern: RegExp): number => events.findIndex((event) => pattern.test(event));
    const order = [
      /fsync\(.*\/\.aieval-[0-9a-f-]+\.tmp>/,
      /rename.*cache\.jsonl/,
      new RegExp(`fsync\\(\\d+<${place.dir}>`),
      /write\(2.*Exported 1 answer/,
    ];
    const found = order.map(at);
    expect(found).toEqual([...found].sort((a, b) => a - b));
    expect(found).not.toContain(-1);
  });

  test('holds no key and no header of a request', async () => {
    const { baseUrl, requests } = await answeringServer();
    const providers = { lab: { type: 'openai', baseUrl, apiKeyEnv: 'LAB_KEY', headers: { 'X-Team': `\${LAB_TEAM}` } } };
    const env = { LAB_KEY: 'sk-very-secret-1234567890', LAB_TEAM: 'header-secret-1234567890' };
    const place = project({ files: { 'manifest.json': manifest(baseUrl, { providers }), ...documents(1) }, env });
    undo.push(place.remove);
    expect((await place.aieval('run', 'manifest.json')).exitCode).toBe(0);
    expect(requests[0]?.headers).toMatchObject({ authorization: `Bearer ${env.LAB_KEY}`, 'x-team': env.LAB_TEAM });
    const { stdout } = await place.aieval('cache', 'export');
    expect(entriesOf(stdout)).toHaveLength(1);
    for (const secret of Object.values(env)) expect(stdout).not.toContain(secret);
  });
});

describe('aieval cache', () => {
  test('stats, invalidate and clear say what is there and what went', async () => {
    const { baseUrl, requests } = await answeringServer();
    const place = folder(baseUrl, 2);
    await place.aieval('run', 'manifest.json');
    const stats = JSON.parse((await place.aieval('cache', 'stats', '--json')).stdout);
    expect(stats).toMatchObject({ v: 1, entries: 2, knownBad: 0, models: [{ model: 'small', entries: 2, paidUsd: 0.00024 }] });
    expect(stats.sizeBytes).toBe(stats.models[0].sizeBytes);
    expect((await place.aieval('cache', 'stats')).stdout).toMatch(/2 answers in .*aieval\.db: .*\n\nMODEL +ENTRIES +SIZE +PAID\nsmall +2/);

    expect(await place.aieval('cache', 'invalidate')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--model') });
    const misspelt = await place.aieval('cache', 'invalidate', '--model', 'smal');
    expect(misspelt).toMatchObject({ exitCode: 0, stdout: 'Dropped 0 answers.\n', stderr: expect.stringContaining('answers of small') });
    const nowhere = await place.aieval('cache', 'invalidate', '--model', 'small', '--namespace', 'team', '--endpoint', 'http://other/v1');
    expect(nowhere.stderr).toBe('note: no answer of namespace "team" is here\nnote: no answer of endpoint "http://other/v1" is here\n');
    for (const date of ['2026-02-30', '2026-02-29T12:00:00Z', '2026-00-10', '2026-04-31T00:00']) {
      expect(await place.aieval('cache', 'invalidate', '--before', date), date).toMatchObject({ exitCode: 2, stdout: '' });
    }
    expect((await place.aieval('cache', 'invalidate', '--before', '2024-02-29')).exitCode).toBe(0);
    const dry = await place.aieval('cache', 'invalidate', '--endpoint', `${baseUrl}/`, '--dry-run');
    expect(dry.stdout).toBe('Would drop 2 answers.\n');
    expect((await place.aieval('cache', 'invalidate', '--older-than', '1', '--json')).stdout).toBe('{"v":1,"entries":0,"knownBad":0}\n');
    expect((await place.aieval('cache', 'invalidate', '--before', 'soon')).exitCode).toBe(2);
    expect((await place.aieval('cache', 'invalidate', '--before', '2999-01-01', '--json')).stdout).toBe(
      '{"v":1,"entries":2,"knownBad":0}\n',
    );
    expect(lastRecord((await place.aieval('run', 'manifest.json', '--json')).stdout)).toMatchObject({ exitCode: 0, calls: 2 });
    expect(requests).toHaveLength(4);

    const asked = await place.aieval('cache', 'clear');
    expect(asked).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('next: aieval cache clear --yes') });
    expect((await place.aieval('cache', 'clear', '--yes')).stdout).toBe('Dropped 2 answers.\n');
    expect((await place.aieval('cache', 'clear')).stdout).toBe('Dropped 0 answers.\n');
    expect((await place.aieval('cache', 'stats')).stdout).toMatch(/^0 answers in /);
  });

  test('without a database there is nothing to look at, but something to import into', async () => {
    const { baseUrl } = await answeringServer();
    const [there, here] = [folder(baseUrl, 1), folder(baseUrl, 1)];
    expect((await here.aieval('cache', 'stats')).exitCode).toBe(2);
    await there.aieval('run', 'manifest.json');
    here.write('cache.jsonl', (await there.aieval('cache', 'export')).stdout);
    expect((await here.aieval('cache', 'import', 'cache.jsonl')).exitCode).toBe(0);
    expect(lastRecord((await here.aieval('run', 'manifest.json', '--json')).stdout)).toMatchObject({ calls: 0 });
  });
});
