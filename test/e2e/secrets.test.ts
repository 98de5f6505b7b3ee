import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import {
  answer,
  answerJson,
  apiError,
  cut,
  cutBody,
  delta,
  event,
  events,
  html,
  type Scenario,
  startScriptedServer,
  status,
} from '../providers/scripted-server.ts';
import { leaks, spellingsOf } from '../providers/spellings.ts';
import { documents, goodAnswer, manifest, project } from './project.ts';

const KEY = 'Zq7/Rt+"Wv<9>&Yp\\Lm=k3';

const undo: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

const ALL = Object.values(spellingsOf(KEY));
const WORDS = `you sent ${ALL.join(' and ')}.`;
const HEADERS = { 'x-request-id': KEY, 'x-echo': KEY };

/** Everywhere that a server can put what it was sent. */
const ECHOES: readonly ((prompt: string) => Scenario)[] = [
  (prompt) => answerJson(goodAnswer(prompt), { model: KEY, headers: HEADERS }),
  () => answer(WORDS, { model: WORDS, headers: HEADERS }),
  () => answer('no', { refusal: WORDS, headers: HEADERS }),
  () => apiError(400, { message: WORDS, type: KEY, code: `c-${KEY}`, param: KEY, metadata: { raw: WORDS } }, HEADERS),
  ...ALL.map((spelled) => () => apiError(400, { message: spelled, code: spelled }, HEADERS)),
  () => apiError(500, { message: `${'x'.repeat(290)}${KEY}`, code: KEY.toUpperCase() }, HEADERS),
  () => status(400, `${'x'.repeat(4080)} ${WORDS}`, HEADERS),
  () => status(302, '', { ...HEADERS, location: `https://else.example/${'x'.repeat(170)}${KEY}` }),
  () => html(200, `<html><title>${WORDS}</title></html>`),
  () => events([delta({ content: WORDS }), event({ error: { message: WORDS, code: KEY } })]),
  () => events([delta({ content: 'a' }), `data: {"error": ${WORDS}\n\n`]),
  () => cut(WORDS, 'rst'),
  () => cutBody(200, JSON.stringify({ echo: WORDS })),
];

test('a key is nowhere after a run: not in the state folder, on the terminal, in the cassette', async () => {
  const { baseUrl, close } = await startScriptedServer({
    respond: ({ prompt }) => {
      const number = Number(/Device (\d+)/.exec(prompt)?.[1] ?? 1);
      return ECHOES[(number - 1) % ECHOES.length]?.(prompt) ?? answer('');
    },
    models: ['small', ...ALL],
  });
  undo.push(close);
  const echoed = project({
    env: { LAB_KEY: KEY },
    files: {
      'manifest.json': manifest(baseUrl, {
        providers: { lab: { type: 'openai', baseUrl, apiKeyEnv: 'LAB_KEY' } },
        retry: { attempts: 1 },
        concurrency: 8,
      }),
      ...documents(ECHOES.length),
    },
  });
  undo.push(echoed.remove);
  const ends = [
    await echoed.aieval('run', 'manifest.json', '--json', '--display', 'plain', '--record', 'tape.json'),
    await echoed.aieval('status', '--json'),
    await echoed.aieval('summary'),
    ...(await Promise.all([1, 2, 3, 4].map((n) => echoed.aieval('show', `docs/0${n}.md:quotes:small`, '--attempts')))),
  ];
  for (const { stdout, stderr } of ends) {
    expect(leaks(stdout, KEY)).toEqual([]);
    expect(leaks(stderr, KEY)).toEqual([]);
  }
  const files = readdirSync(echoed.dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.some(({ name }) => name === 'tape.json') && files.some(({ name }) => name === 'aieval.db')).toBe(true);
  const leaking = files.flatMap(({ parentPath, name }) => {
    const found = leaks(readFileSync(join(parentPath, name), 'latin1'), KEY);
    return found.length === 0 ? [] : [`${join(parentPath, name)}: ${found.join()}`];
  });
  expect(leaking).toEqual([]);
});

test('a key that the list of models sends back is not among the names proposed', async () => {
  const { baseUrl, close } = await startScriptedServer({ respond: () => answer(''), models: ALL });
  undo.push(close);
  const echoed = project({
    env: { LAB_KEY: KEY },
    files: {
      'manifest.json': manifest(baseUrl, { providers: { lab: { type: 'openai', baseUrl, apiKeyEnv: 'LAB_KEY' } } }),
      ...documents(1),
    },
  });
  undo.push(echoed.remove);
  const { exitCode, stdout, stderr } = await echoed.aieval('run', 'manifest.json', '--json');
  expect(exitCode).toBe(4);
  expect(leaks(stdout + stderr, KEY)).toEqual([]);
});
