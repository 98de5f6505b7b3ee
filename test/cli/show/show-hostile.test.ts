import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { documents, manifest, type Project, project } from '../../e2e/project.ts';
import { answerJson, startScriptedServer } from '../../providers/scripted-server.ts';
import { PAYLOADS } from '../../report/hostile.ts';

/** What a terminal obeys; what reorders or hides what is read; what the logs of build services obey. */
const CONTROLS = /(?!\n)\p{Cc}/u;
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]/u;
const COMMANDS = /##\w*\[|^\s*::[\w-]+(?: [^\n]*)?::/m;

const QUOTES = PAYLOADS.filter((payload) => payload.length < 1000);
/** A file with a NUL is no text. */
const HOSTILE_TEXT = QUOTES.join('\n\n').replaceAll('\0', '');
const ANSWER = { findings: QUOTES.map((quote) => ({ quote })) };
/** As a server counts that read all of it. */
const USAGE = { prompt_tokens: 1000, completion_tokens: 1000 };
const JOB = 'docs/evil.md:quotes:small';

let place: Project;
beforeAll(async () => {
  const server = await startScriptedServer({ respond: () => answerJson(ANSWER, { usage: USAGE }) });
  place = project({ files: { 'manifest.json': manifest(server.baseUrl), ...documents(1), 'docs/evil.md': HOSTILE_TEXT } });
  await place.aieval('run', 'manifest.json');
  await server.close();
}, 60_000);
afterAll(() => place.remove());

async function shown(...options: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await place.aieval('show', JOB, ...options);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return stdout;
}

function expectHarmless(text: string): void {
  for (const pattern of [CONTROLS, UNSEEN, COMMANDS]) expect(pattern.exec(text)).toBeNull();
}

describe('of a hostile answer to a hostile document', () => {
  test.each([[[]], [['--raw']], [['--prompt']], [['--attempts']], [['--doc']]])(
    'show %j --json is harmless on any stdout',
    async (options) => {
      const stdout = await shown(...options, '--json');
      expectHarmless(stdout);
      expect(stdout.indexOf('\n')).toBe(stdout.length - 1);
    },
  );

  test.each([[[]], [['--prompt']], [['--attempts']], [['--doc']]])('show %j is harmless on any stdout', async (options) => {
    expectHarmless(await shown(...options));
  });

  test('--raw gives the very answer to a pipe, and with --json the same value', async () => {
    const raw = await shown('--raw');
    expect(raw).toMatch(UNSEEN);
    const { response } = JSON.parse(await shown('--raw', '--json'));
    expect(`${response.content}\n`).toBe(raw);
    expect(JSON.parse(raw)).toEqual(JSON.parse(JSON.stringify(ANSWER)));
  });

  test('the record has every quote as it came', async () => {
    expect(JSON.parse(await shown('--json')).answer).toEqual(JSON.parse(JSON.stringify(ANSWER)));
  });
});
