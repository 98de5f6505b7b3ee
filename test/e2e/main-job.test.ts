import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { ended, start } from '../cli/binary.ts';
import { answer, answerJson, apiError, type ScriptedServer, startScriptedServer } from '../providers/scripted-server.ts';
import { documents, goodAnswer, lastRecord, manifest, type Project, project, withoutLinks } from './project.ts';

const undo: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

async function server(respond: Parameters<typeof startScriptedServer>[0]['respond']): Promise<ScriptedServer> {
  const started = await startScriptedServer({ respond });
  undo.push(started.close);
  return started;
}

function folder(files: Record<string, string | Uint8Array>): Project {
  const made = project({ files });
  undo.push(made.remove);
  return made;
}

describe('aieval run', () => {
  test('evaluates every document, leaves its files, and exits 0', async () => {
    const { baseUrl, requests } = await server(({ prompt }) => answerJson(goodAnswer(prompt)));
    const { dir, aieval, read } = folder({ 'manifest.json': manifest(baseUrl), ...documents(3) });
    const { exitCode, stdout } = await aieval('run', 'manifest.json', '--json');
    expect(exitCode).toBe(0);
    const { run, ...finished } = lastRecord(stdout);
    expect(finished).toEqual({
      v: 1,
      event: 'run.finished',
      exitCode: 0,
      verdict: 'pass',
      reasons: [],
      jobs: { total: 3, queued: 0, running: 0, succeeded: 3, failed: 0, cancelled: 0 },
      results: { total: 3, open: 0, pass: 3, fail: 0, review: 0, error: 0 },
      calls: 3,
      cacheHits: 0,
      cost: {
        ...{ spentUsd: 0.00036, reservedUsd: 0, uncertainUsd: 0, budgetUsd: null, unpricedCalls: 0 },
        ...{ uncertainCalls: 0, uncertainUnpricedCalls: 0 },
      },
      stoppedBy: [],
      passPercent: 100,
      plan: null,
      selection: null,
    });
    expect(requests).toHaveLength(3);
    const runDir = `.aieval/runs/${run}`;
    expect(readdirSync(join(dir, runDir)).sort()).toEqual(['jobs', 'manifest.resolved.json', 'results.jsonl', 'summary.md', 'texts']);
    expect(read(`${runDir}/summary.md`)).toContain('✅ aieval: PASS');
    const lines = read(`${runDir}/results.jsonl`)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map((line) => line.document)).toEqual([undefined, 'docs/01.md', 'docs/02.md', 'docs/03.md']);
    for (const { artifacts } of lines.slice(1)) {
      expect(readdirSync(join(dir, runDir, artifacts)).sort()).toEqual(['attempts.jsonl', 'request.json', 'response.json', 'result.json']);
    }
  });

  test('asks nothing twice: a second run is served from the first', async () => {
    const { baseUrl, requests } = await server(({ prompt }) => answerJson(goodAnswer(prompt)));
    const { aieval } = folder({ 'manifest.json': manifest(baseUrl), ...documents(3) });
    await aieval('run', 'manifest.json');
    const second = lastRecord((await aieval('run', 'manifest.json', '--json')).stdout);
    expect(second).toMatchObject({ exitCode: 0, calls: 0, cacheHits: 3 });
    expect(requests).toHaveLength(3);
  });

  test('an edited check is judged anew without a call', async () => {
    const { baseUrl, requests } = await server(({ prompt }) => answerJson(goodAnswer(prompt)));
    const { aieval, write, read } = folder({ 'manifest.json': manifest(baseUrl), ...documents(2) });
    await aieval('run', 'manifest.json');
    write('manifest.json', read('manifest.json').replace('"type": "evidence"', '"minVerified": 2, "type": "evidence"'));
    const second = await aieval('run', 'manifest.json', '--json');
    expect(lastRecord(second.stdout)).toMatchObject({ exitCode: 1, results: { pass: 0, fail: 2 }, calls: 0 });
    expect(requests).toHaveLength(2);
  });

  test('two processes started at once work on one run, and no call is made twice', async () => {
    const { baseUrl, requests } = await server(({ prompt }) => answerJson(goodAnswer(prompt), { delayMs: 30 }));
    const { dir } = folder({ 'manifest.json': manifest(baseUrl), ...documents(12) });
    const both = [1, 2].map(() => ended(start(['run', 'manifest.json', '--json'], { cwd: dir })));
    const [first, second] = (await Promise.all(both)).map(({ stdout }) => lastRecord(stdout));
    expect(first).toMatchObject({ exitCode: 0, jobs: { total: 12, succeeded: 12 }, calls: 12 });
    expect(second).toEqual(first);
    expect(requests).toHaveLength(12);
    expect(new Set(requests.map(({ prompt }) => prompt)).size).toBe(12);
  });

  test('an invented quote fails its job and the gate', async () => {
    const { baseUrl } = await server(() => answerJson({ findings: [{ quote: 'The device shall explode within 5 ms.' }] }));
    const { aieval } = folder({ 'manifest.json': manifest(baseUrl), ...documents(1) });
    const { exitCode, stdout } = await aieval('run', 'manifest.json', '--json');
    expect(exitCode).toBe(1);
    expect(lastRecord(stdout)).toMatchObject({ verdict: 'fail', results: { fail: 1 } });
  });

  test('--exit-zero turns an unmet gate into 0, and nothing else', async () => {
    const { baseUrl } = await server(() => answerJson({ findings: [{ quote: 'The device shall explode within 5 ms.' }] }));
    const { aieval } = folder({ 'manifest.json': manifest(baseUrl), ...documents(1) });
    expect((await aieval('run', 'manifest.json', '--exit-zero')).exitCode).toBe(0);
  });

  test('an answer that breaks the schema is mended by one re-ask that carries the errors', async () => {
    const { baseUrl, requests } = await server(({ prompt, n }) =>
      n === 1 ? answerJson({ findings: 'none' }) : answerJson(goodAnswer(prompt)),
    );
    const { aieval } = folder({ 'manifest.json': manifest(baseUrl), ...documents(1) });
    const { stdout } = await aieval('run', 'manifest.json', '--json');
    expect(lastRecord(stdout)).toMatchObject({ exitCode: 0, calls: 2, results: { pass: 1 } });
    expect(requests[1]?.prompt).toContain('/findings');
    const second = lastRecord((await aieval('run', 'manifest.json', '--json')).stdout);
    expect(second).toMatchObject({ calls: 0, cacheHits: 1 });
  });

  test('an answer that stays invalid ends in the DLQ, is not bought again, and is asked again by retry', async () => {
    let good = false;
    const { baseUrl, requests } = await server(({ prompt }) => (good ? answerJson(goodAnswer(prompt)) : answer('no JSON at all')));
    const { aieval } = folder({ 'manifest.json': manifest(baseUrl), ...documents(1) });
    const first = await aieval('run', 'manifest.json', '--json');
    expect(lastRecord(first.stdout)).toMatchObject({ exitCode: 3, verdict: 'incomplete', jobs: { failed: 1 }, calls: 2 });
    const again = await aieval('run', 'manifest.json', '--json');
    expect(lastRecord(again.stdout)).toMatchObject({ exitCode: 3, jobs: { failed: 1 }, calls: 0 });
    expect(requests).toHaveLength(2);
    good = true;
    const retried = await aieval('retry', '--dlq', '--json');
    expect(lastRecord(retried.stdout)).toMatchObject({ exitCode: 0, jobs: { succeeded: 1, failed: 0 }, calls: 1 });
  });

  test('ten jobs with the same question make one call', async () => {
    const { baseUrl, requests } = await server(({ prompt }) => answerJson(goodAnswer(prompt), { delayMs: 50 }));
    const copies = Object.fromEntries(
      Array.from({ length: 10 }, (_, index) => [`docs/copy-${index}.md`, 'Device 07 shall answer within 5 ms.\n']),
    );
    const { aieval } = folder({ 'manifest.json': manifest(baseUrl), ...copies });
    const { stdout } = await aieval('run', 'manifest.json', '--json');
    expect(lastRecord(stdout)).toMatchObject({ exitCode: 0, calls: 1, cacheHits: 9, jobs: { succeeded: 10 } });
    expect(requests).toHaveLength(1);
  });

  test('a server that cannot do schemas is asked in lesser modes, and that is remembered', async () => {
    const { baseUrl, requests } = await server(({ prompt, body }) =>
      body.response_format === undefined
        ? answerJson(goodAnswer(prompt))
        : apiError(400, {
            message: 'response_format is not supported',
            type: 'invalid_request_error',
            param: 'response_format',
            code: null,
          }),
    );
    const { aieval } = folder({ 'manifest.json': manifest(baseUrl, { concurrency: 1 }), ...documents(3) });
    const { stdout } = await aieval('run', 'manifest.json', '--json');
    expect(lastRecord(stdout)).toMatchObject({ exitCode: 0, jobs: { succeeded: 3 } });
    expect(requests).toHaveLength(5);
  });

  test('documents that cannot be used fail with their reason and cost nothing; the others are evaluated', async () => {
    const { baseUrl, requests } = await server(({ prompt }) => answerJson(goodAnswer(prompt)));
    const bad = { 'docs/empty.md': '', 'docs/latin.md': new Uint8Array([0x63, 0x61, 0x66, 0xe9, 0x0a]) };
    const { aieval } = folder({ 'manifest.json': manifest(baseUrl), ...documents(2), ...bad });
    const { exitCode, stdout, stderr } = await aieval('run', 'manifest.json', '--json', '--display', 'plain');
    expect(exitCode).toBe(3);
    expect(lastRecord(stdout)).toMatchObject({ results: { pass: 2, error: 2 }, calls: 2 });
    expect(stderr).toContain('document_empty');
    expect(stderr).toContain('document_bad_text');
    expect(requests).toHaveLength(2);
  });

  test('a recording answers the same manifest without a server', async () => {
    const { baseUrl, close } = await server(({ prompt }) => answerJson(goodAnswer(prompt)));
    const { aieval, write, read, dir } = folder({ 'manifest.json': manifest(baseUrl), ...documents(3) });
    await aieval('run', 'manifest.json', '--record', 'cassette.json');
    await close();
    expect(existsSync(join(dir, 'cassette.json'))).toBe(true);
    write('manifest.json', manifest(baseUrl, { providers: { lab: { type: 'replay', cassette: 'cassette.json' } } }));
    const { stdout } = await aieval('run', 'manifest.json', '--json');
    expect(lastRecord(stdout)).toMatchObject({ exitCode: 0, calls: 3, results: { pass: 3 } });
    write('docs/01.md', 'Device 99 shall answer within 5 ms.\n');
    const missed = await aieval('run', 'manifest.json', '--json');
    expect(lastRecord(missed.stdout)).toMatchObject({ exitCode: 3, results: { pass: 2, error: 1 } });
    expect(read('.aieval/.gitignore')).toBe('*\n');
  });

  test('a simulated run says so in the headline and passes its own quotes', async () => {
    const { aieval, read } = folder({ 'manifest.json': manifest('', { providers: { lab: { type: 'simulated' } } }), ...documents(4) });
    const { stdout } = await aieval('run', 'manifest.json', '--json');
    const { run, ...finished } = lastRecord(stdout);
    expect(finished).toMatchObject({ exitCode: 0, results: { pass: 4 } });
    expect(read(`.aieval/runs/${run}/summary.md`).split('\n')[1]).toMatch(/simulated/);
  });

  test('repeats are aggregated into one result', async () => {
    const { baseUrl } = await server(({ prompt, n }) =>
      answerJson(n === 1 ? { findings: [{ quote: 'Nobody wrote this sentence.' }] } : goodAnswer(prompt)),
    );
    const task = JSON.parse(manifest(baseUrl)).tasks.quotes;
    const tasks = { quotes: { ...task, repeats: 3 } };
    const { aieval } = folder({ 'manifest.json': manifest(baseUrl, { tasks, concurrency: 1 }), ...documents(1) });
    const { stdout } = await aieval('run', 'manifest.json', '--json');
    expect(lastRecord(stdout)).toMatchObject({ exitCode: 0, jobs: { total: 3 }, results: { total: 1, pass: 1 } });
  });

  test('the files of a run are rebuilt byte for byte', async () => {
    const { baseUrl } = await server(({ prompt }) => answerJson(goodAnswer(prompt)));
    const { aieval, read } = folder({ 'manifest.json': manifest(baseUrl), ...documents(2) });
    const { run } = lastRecord((await aieval('run', 'manifest.json', '--json')).stdout);
    const written = read(`.aieval/runs/${run}/summary.md`);
    expect((await aieval('summary')).stdout).toBe(withoutLinks(written));
    expect(read(`.aieval/runs/${run}/summary.md`)).toBe(written);
  });
});
