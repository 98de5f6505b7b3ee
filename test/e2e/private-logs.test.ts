import { afterAll, beforeAll, expect, test } from 'vitest';
import { aieval } from '../cli/binary.ts';
import { answer, answerJson, apiError, type ScriptedServer, startScriptedServer } from '../providers/scripted-server.ts';
import { manifest, type Project, project } from './project.ts';

const LIMIT_MS = 120_000;
/** Stand in the documents, in answers, in a refusal and in what a server says of its errors. */
const MARKS = /MARK(?:DOC|ANSWER|KEY|REFUSAL|BODY|PAUSE|MODELS)/i;

let server: ScriptedServer;
let closed: ScriptedServer;
let place: Project;

const REFUSAL = JSON.stringify({ MARKKEY: 'MARKREFUSAL' });

beforeAll(async () => {
  server = await startScriptedServer({
    respond: ({ prompt }) => {
      if (prompt.includes('Part 1')) return answerJson({ findings: [{ quote: 'MARKANSWER is not in it, and never was' }] });
      if (prompt.includes('Part 2')) return answer('', { refusal: 'MARKREFUSAL: I cannot' });
      if (prompt.includes('Part 3')) return answer(REFUSAL);
      if (prompt.includes('Part 4')) return apiError(400, { message: 'MARKBODY of the server' });
      return apiError(401, { message: 'MARKPAUSE: this key is blocked' });
    },
  });
  closed = await startScriptedServer({
    respond: () => answer(''),
    models: apiError(401, { message: 'MARKMODELS: who are you' }),
  });
  const texts = [1, 2, 3, 4, 5].map((n) => [`docs/${n}.md`, `# Part ${n}\n\nMARKDOC shall answer within ${n} ms.\n`] as const);
  const parts = { privacy: { evidence: 'none' }, cache: { mode: 'off' } };
  place = project({
    files: {
      'm.json': manifest(server.baseUrl, { ...parts, documents: ['docs/[1-4].md'] }),
      'paused.json': manifest(server.baseUrl, { ...parts, name: 'paused', documents: ['docs/5.md'] }),
      'closed.json': manifest(closed.baseUrl, { ...parts, name: 'closed' }),
      ...Object.fromEntries(texts),
    },
  });
}, LIMIT_MS);
afterAll(async () => {
  place.remove();
  await Promise.all([server.close(), closed.close()]);
});

test.each<[string, Record<string, string>, string[]]>([
  ['in a pipe', {}, []],
  ['in CI', { CI: 'true' }, []],
  ['in GitHub Actions, as JSON,', { CI: 'true', GITHUB_ACTIONS: 'true' }, ['--json']],
  ['in a log of JSON lines', {}, ['--log-format', 'json']],
])(
  'with privacy.evidence "none" no command %s says a word of a document, a model or a server',
  async (_, env, flags) => {
    const told = async (...args: string[]): Promise<string> => {
      const { stdout, stderr } = await aieval([...args, ...flags], { cwd: place.dir, env });
      expect([args.join(' '), MARKS.exec(stdout + stderr)]).toEqual([args.join(' '), null]);
      expect(stdout + stderr).not.toMatch(/E3[01]|E99/);
      return stdout + stderr;
    };
    expect(await told('run', 'm.json', '--new')).toMatch(/evidence: 1 quote: 1 rejected/);
    await told('retry', 'latest');
    expect(await told('logs', 'latest')).toMatch(/HTTP 400/);
    await told('status', 'latest');
    expect(await told('run', 'paused.json', '--new')).toMatch(/HTTP 401/);
    for (const args of [['logs'], ['status'], ['status', '--all'], ['worker', '--exit-when-idle'], ['cancel', '--yes']])
      await told(...args);
    expect(await told('run', 'closed.json')).toMatch(/E12.*HTTP 401/);
  },
  LIMIT_MS,
);
