import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { answer, answerJson, apiError, type ScriptedServer, startScriptedServer } from '../providers/scripted-server.ts';
import { documents, goodAnswer, lastRecord, manifest, type Project, project } from './project.ts';

const undo: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

type Respond = Parameters<typeof startScriptedServer>[0]['respond'];

async function server(respond: Respond = ({ prompt }) => answerJson(goodAnswer(prompt))): Promise<ScriptedServer> {
  const started = await startScriptedServer({ respond });
  undo.push(started.close);
  return started;
}

function folder(files: Record<string, string>, env: Record<string, string> = {}): Project {
  const made = project({ files, env });
  undo.push(made.remove);
  return made;
}

/** Runs the same manifest from the recording, in a folder that knows nothing else. */
async function replayed(recorded: Project, count: number, cassette = 'tape.json'): Promise<Record<string, unknown>> {
  const there = folder({
    'manifest.json': manifest('', { providers: { lab: { type: 'replay', cassette: 'tape.json' } } }),
    'tape.json': recorded.read(cassette),
    ...documents(count),
  });
  return lastRecord((await there.aieval('run', 'manifest.json', '--json')).stdout);
}

function repeats(cassette: string): number[][] {
  const { entries }: { entries: { responses: { repeat?: number }[] }[] } = JSON.parse(cassette);
  return entries.map(({ responses }) => responses.map(({ repeat = 0 }) => repeat).sort());
}

describe('a recording that could not be written stops a run before the first call', () => {
  test.each([
    ['is a folder', 2, (there: Project) => mkdirSync(join(there.dir, 'tape.json'))],
    ['holds something else', 2, (there: Project) => there.write('tape.json', '{"my":"notes"}')],
    ['stands below a file', 8, (there: Project) => there.write('tape.json', 'x')],
  ])('its file %s', async (title, expected, prepare) => {
    const { baseUrl, requests } = await server();
    const there = folder({ 'manifest.json': manifest(baseUrl), ...documents(2) });
    prepare(there);
    const path = title === 'stands below a file' ? 'tape.json/deeper.json' : 'tape.json';
    const { exitCode, stderr } = await there.aieval('run', 'manifest.json', '--record', path);
    expect(exitCode).toBe(expected);
    expect(stderr).toContain('tape.json');
    expect(stderr).toContain('next: ');
    expect(stderr).not.toContain('E99');
    expect(requests).toHaveLength(0);
    expect(existsSync(join(there.dir, '.aieval'))).toBe(false);
  });

  test('nothing of the probe is left beside the file', async () => {
    const { baseUrl } = await server();
    const there = folder({ 'manifest.json': manifest(baseUrl), ...documents(1) });
    await there.aieval('run', 'manifest.json', '--record', 'tapes/tape.json');
    expect(readdirSync(join(there.dir, 'tapes'))).toEqual(['tape.json']);
  });
});

describe('a recording is whole', () => {
  test('also when every answer came from the cache', async () => {
    const { baseUrl, requests } = await server();
    const there = folder({ 'manifest.json': manifest(baseUrl), ...documents(3) });
    await there.aieval('run', 'manifest.json');
    const second = await there.aieval('run', 'manifest.json', '--record', 'tape.json', '--json');
    expect(lastRecord(second.stdout)).toMatchObject({ exitCode: 0, calls: 0, cacheHits: 3 });
    expect(second.stderr).toBe('');
    expect(requests).toHaveLength(3);
    expect(await replayed(there, 3)).toMatchObject({ exitCode: 0, calls: 3, results: { pass: 3 } });
  });

  test('also when an answer from the cache had to be asked for again', async () => {
    const { baseUrl } = await server(({ prompt, n }) => (n === 1 ? answerJson({ findings: 'none' }) : answerJson(goodAnswer(prompt))));
    const there = folder({ 'manifest.json': manifest(baseUrl), ...documents(1) });
    await there.aieval('run', 'manifest.json');
    await there.aieval('run', 'manifest.json', '--record', 'tape.json');
    expect(await replayed(there, 1)).toMatchObject({ exitCode: 0, calls: 2, results: { pass: 1 } });
  });

  test('also when the server was found to know no schemas, by this run or by an earlier one', async () => {
    const { baseUrl } = await server(({ prompt, body }) =>
      body.response_format === undefined
        ? answerJson(goodAnswer(prompt))
        : apiError(400, {
            message: 'response_format is not supported',
            type: 'invalid_request_error',
            param: 'response_format',
            code: null,
          }),
    );
    const there = folder({ 'manifest.json': manifest(baseUrl, { concurrency: 1 }), ...documents(3) });
    await there.aieval('run', 'manifest.json', '--record', 'first.json');
    await there.aieval('run', 'manifest.json', '--record', 'second.json');
    expect(await replayed(there, 3, 'first.json')).toMatchObject({ exitCode: 0, results: { pass: 3 } });
    expect(await replayed(there, 3, 'second.json')).toMatchObject({ exitCode: 0, results: { pass: 3 } });
  });

  test('with every repeat of a question, and says what it lacks: failures that are only remembered', async () => {
    const { baseUrl } = await server(({ prompt, n }) =>
      prompt.includes('Device 01') ? answer('no JSON') : answerJson({ ...goodAnswer(prompt), n }),
    );
    const task = JSON.parse(manifest('')).tasks.quotes;
    const tasks = { quotes: { ...task, repeats: 2, output: { schema: { type: 'object' }, reask: 0 } } };
    const there = folder({ 'manifest.json': manifest(baseUrl, { tasks }), ...documents(2) });
    await there.aieval('run', 'manifest.json', '--record', 'first.json');
    const { stderr } = await there.aieval('run', 'manifest.json', '--record', 'second.json');
    expect(repeats(there.read('first.json'))).toEqual([
      [0, 1],
      [0, 1],
    ]);
    expect(repeats(there.read('second.json'))).toEqual([[0, 1]]);
    expect(stderr).toContain('2 jobs were not asked, or not wholly, by this process and are not whole in');
  });
});

test('an --out that cannot be written stops a run before the first call', async () => {
  const { baseUrl, requests } = await server();
  const there = folder({ 'manifest.json': manifest(baseUrl), plain: 'x', ...documents(2) });
  for (const out of ['plain', 'plain/deeper']) {
    const { exitCode, stderr } = await there.aieval('--out', out, 'run', 'manifest.json');
    expect(exitCode).toBe(8);
    expect(stderr).toContain(`cannot write ${join(there.dir, out)}`);
  }
  expect(requests).toHaveLength(0);
});

test('a run whose folder became a file is not retried at a price', async () => {
  const { baseUrl, requests } = await server(() => answer('no JSON at all'));
  const there = folder({ 'manifest.json': manifest(baseUrl), ...documents(1) });
  await there.aieval('--out', 'out', 'run', 'manifest.json');
  const before = requests.length;
  rmSync(join(there.dir, 'out'), { recursive: true });
  there.write('out', '');
  const { exitCode, stderr } = await there.aieval('retry');
  expect(exitCode).toBe(8);
  expect(stderr).toContain(`cannot write ${join(there.dir, 'out')}`);
  expect(requests).toHaveLength(before);
});

describe('a cassette that is none', () => {
  test.each([
    ['{"v":9}', 'tape.json:1:6', 'v: Invalid input'],
    ['', 'tape.json:1:1', 'not JSON'],
    ['null', 'tape.json:1:1', 'the whole: Invalid input'],
    ['{"v":1,\n "entries":[{}]}', 'tape.json:2:13', 'entries[0].key'],
  ])('%j is found by validate, with its place', async (text, place, what) => {
    const providers = { lab: { type: 'replay', cassette: 'tape.json' } };
    const there = folder({ 'manifest.json': manifest('', { providers }), 'tape.json': text, ...documents(1) });
    for (const command of ['validate', 'plan', 'run']) {
      const { exitCode, stderr } = await there.aieval(command, 'manifest.json');
      expect(exitCode).toBe(2);
      expect(stderr).toContain(place);
      expect(stderr).toContain(`the cassette cannot be read: ${what}`);
    }
    expect(existsSync(join(there.dir, '.aieval'))).toBe(false);
  });

  test('is reported together with all else that is wrong', async () => {
    const providers = { lab: { type: 'replay', cassette: 'tape.json' } };
    const there = folder({ 'manifest.json': manifest('', { providers, nonsense: 1 }), 'tape.json': '{', ...documents(1) });
    const { stderr } = await there.aieval('validate', 'manifest.json');
    expect(stderr).toContain('nonsense');
    expect(stderr).toContain('the cassette cannot be read');
  });
});
