import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, vi } from 'vitest';
import { reportError } from '../../../src/cli/error-output.ts';
import { storageError } from '../../../src/store/sqlite/sqlite-errors.ts';
import { rawPdf } from '../../documents/pdf/raw-pdf.ts';
import type { Project } from '../../e2e/project.ts';
import { answer, apiError, type Script, startScriptedServer } from '../../providers/scripted-server.ts';
import { FakeStream, fakeIo } from '../fake-io.ts';
import { DOCUMENT, endpointText, folder, manifestText } from './case.ts';

/** Makes the situation of docs/troubleshooting.md for a code, and gives all that the program says of it. */
export type Example = () => Promise<string>;

const ROOT = resolve(import.meta.dirname, '../../..');
const MANIFEST = 'manifest.json';
const RUN = ['run', MANIFEST];
const KEY = 'planted-key-0001';
const PRICED = { provider: 'sim', model: 'small', price: { inputPerMTok: 100, outputPerMTok: 200 }, params: { maxOutputTokens: 10_000 } };
const SCAN = rawPdf({ pages: [{ content: '0 0 100 100 re f' }, { content: '' }] });

type Made = {
  readonly name?: string;
  readonly parts?: object;
  readonly files?: Record<string, string | Uint8Array>;
  readonly env?: Record<string, string>;
};

/** A folder with one document and a manifest, of this `name`, that evaluates it without a server. */
function made({ name = MANIFEST, parts = {}, files = {}, env = {} }: Made = {}): Project {
  return folder({ files: { [name]: manifestText(parts), ...DOCUMENT, ...files }, env });
}

const ask = (parts: object): Made => ({
  parts: { tasks: { ask: { prompt: '{{document}}\n\nWhat?', output: { format: 'text' }, checks: [], ...parts } } },
});

/** Both streams: what is said, wherever it goes. */
async function said(place: Project, args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await place.aieval(...args);
  return inPage(stdout + stderr, place);
}

/** With the folder that the page has. */
function inPage(text: string, { dir }: Project): string {
  return text.replaceAll(realpathSync(dir), '/home/ann/spec').replaceAll(dir, '/home/ann/spec');
}

const told =
  (args: readonly string[], how: Made = {}): Example =>
  async () =>
    await said(made(how), args);

/** A run of two jobs against a server; `down`: against the place where one was. */
function atServer(script: Script, { down = false }: { readonly down?: boolean } = {}): Example {
  return async () => {
    const { baseUrl, close } = await startScriptedServer(script);
    if (down) await close();
    const manifest = endpointText(baseUrl, { concurrency: 1 }, { apiKeyEnv: 'LAB_KEY' });
    const place = made({ files: { [MANIFEST]: manifest, 'docs/02.md': 'Two shall be two.\n' }, env: { LAB_KEY: KEY } });
    const text = await said(place, RUN);
    if (!down) await close();
    return text.replaceAll(new URL(baseUrl).host, '127.0.0.1:8000');
  };
}

const refusedAfterOne = (error: ReturnType<typeof apiError>): Script => ({ respond: ({ n }) => (n === 1 ? answer('yes') : error) });
const never = () => answer('never asked');

/** What is told of an error that cannot be made here at will. */
const ofError =
  (error: unknown): Example =>
  async () => {
    const stderr = new FakeStream();
    const place = made({ files: { '.aieval/aieval.db': '' } });
    reportError(error, { io: fakeIo({ cwd: place.dir, stderr }), argv: ['status'], json: false, colour: false });
    return inPage(stderr.text, place).replaceAll(ROOT, '/home/ann/aieval');
  };

const sqlite = (code: string): unknown =>
  storageError(Object.assign(new Error('x'), { name: 'SqliteError', code }), '/home/ann/spec/.aieval/aieval.db');

async function pausedRun(): Promise<string> {
  const place = made({ parts: { models: { small: PRICED }, budget: { usd: 0.000001 } } });
  await place.aieval(...RUN);
  await place.aieval('pause');
  return await said(place, ['worker', 'latest']);
}

/** A start that wants new answers, while another one of the same work waits for its first. */
async function otherCacheMode(): Promise<string> {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const respond = async () => {
    await released;
    return answer('yes');
  };
  const { baseUrl, requests, close } = await startScriptedServer({ respond });
  const place = made({ files: { [MANIFEST]: endpointText(baseUrl, {}, { apiKeyEnv: 'LAB_KEY' }) }, env: { LAB_KEY: KEY } });
  const first = place.aieval(...RUN);
  await vi.waitFor(() => expect(requests.length).toBeGreaterThan(0), 30_000);
  const text = await said(place, [...RUN, '--no-cache']);
  release();
  await first;
  await close();
  return text;
}

async function changedDocument(): Promise<string> {
  const place = made({ files: { 'docs/02.md': 'Two shall be two.\n' } });
  await place.aieval(...RUN);
  place.write('docs/02.md', 'Two shall be three.\n');
  return await said(place, RUN);
}

/** Another program listens at the address of the example. */
async function takenAddress(): Promise<string> {
  const { baseUrl, close } = await startScriptedServer({ respond: never });
  const port = Number(new URL(baseUrl).port);
  try {
    const text = await said(made(), [...RUN, '--metrics', `127.0.0.1:${port}`]);
    return text.replaceAll(`:${port + 1}`, ':9465').replaceAll(`:${port}`, ':9464');
  } finally {
    await close();
  }
}

const afterRun =
  (args: readonly string[], how: Made = {}): Example =>
  async () => {
    const place = made(how);
    await place.aieval(...RUN);
    return await said(place, args);
  };

/** A copy that was made before the store went on. */
const afterCopy =
  (...args: readonly string[]): Example =>
  async () => {
    const place = made();
    await place.aieval(...RUN);
    await place.aieval('store', 'copy', '.aieval/aieval.db', 'kept.db');
    await place.aieval('store', 'set', 'maxRunning', '8');
    return await said(place, ['store', 'copy', ...args, '.aieval/aieval.db', 'kept.db']);
  };

/** By code. E38 is missing: a report of 200 MB takes too long to make. */
export const EXAMPLES: Readonly<Record<string, Example>> = {
  E00: told([...RUN, '--max-cst', '3']),
  E01: told(RUN, { name: 'manifset.json' }),
  E02: told(RUN, { files: { [MANIFEST]: '{\n  "version": 1,\n  "documents": ["a"]\n  "models": {}\n}\n' } }),
  E03: told(RUN, { parts: { documents: ['docs/*.markdown'] } }),
  E04: told(RUN, { parts: { documnets: [] } }),
  E05: told(RUN, { files: { [MANIFEST]: endpointText('http://127.0.0.1:9/v1', {}, { apiKeyEnv: 'LAB_KEY' }) } }),
  E06: told(RUN, { parts: { models: { small: { provider: 'sim', model: 'small', apiKey: 'sk-proj-abcdefghijklmnopqrstuvwxyz123456' } } } }),
  E07: told(RUN, ask({ repeats: '3' })),
  E08: told(RUN, { parts: { version: 2 } }),
  E09: told(RUN, ask({ models: ['smal'] })),
  E10: told(RUN, { ...ask({ prompt: 'prompts/claims.md' }), files: { 'prompts/claims.md': '{{document}}\n  {{doc}} y\n' } }),
  E11: told(RUN, { parts: { tasks: { ask: { prompt: '{{document}}', output: { format: 'text' } } } } }),
  E12: atServer({ respond: never, models: apiError(401, { message: 'no', code: 'invalid_api_key' }) }),
  E13: atServer({ respond: never, models: ['fst', 'fast-8b'] }),
  E14: atServer({ respond: never }, { down: true }),
  E15: atServer(refusedAfterOne(apiError(429, { message: 'You exceeded your current quota', code: 'insufficient_quota' }))),
  E16: atServer(refusedAfterOne(apiError(429, { message: 'slow down' }, { 'retry-after': '86400' }))),
  E17: told(['extract', 'scan.pdf'], { files: { 'scan.pdf': SCAN } }),
  E18: told(['plan', MANIFEST], {
    parts: { models: { small: { provider: 'sim', model: 'small', contextTokens: 2000, params: { maxOutputTokens: 100 } } } },
    files: { 'docs/01.md': 'The device shall answer at once. '.repeat(2000) },
  }),
  E19: told(['plan', MANIFEST], { parts: { models: { small: PRICED }, budget: { usd: 0.5 } } }),
  E20: pausedRun,
  E21: ofError(sqlite('SQLITE_BUSY')),
  E22: told([...RUN, '--db', 'new.db'], { files: { 'new.db': 'nonsense '.repeat(500) } }),
  E23: changedDocument,
  E24: ofError(sqlite('SQLITE_FULL')),
  E25: ofError(Object.assign(new Error('Could not locate the bindings file. Tried: …'), { tries: [] })),
  E26: told(RUN, { parts: { review: { when: ['fail'] } } }),
  E27: told(RUN, { parts: { maxJobs: 1 }, files: { 'docs/02.md': 'Two.\n' } }),
  E28: told(RUN, ask({ output: { schema: 'schemas/claims.json' } })),
  E29: told(RUN, { parts: { matrix: { exclude: [{ document: '**' }] } } }),
  E30: told(['status']),
  E31: afterRun(['status', 'r-8kq']),
  E32: afterRun(['show', 'zzz']),
  E33: afterRun(['show', 'docs/scan.pdf:ask:small', '--doc'], { parts: { documents: ['docs/*'] }, files: { 'docs/scan.pdf': SCAN } }),
  E34: told(['init']),
  E35: told(RUN, {
    files: { [MANIFEST]: endpointText('http://127.0.0.1:8000/v1', {}, { apiKeyEnv: 'OPENAI_API_KEY' }) },
    env: { OPENAI_API_KEY: KEY },
  }),
  E36: afterRun(['cache', 'clear']),
  E37: ofError(Object.assign(new Error('x'), { code: 'EMFILE' })),
  E39: takenAddress,
  E40: told(['status', '--store', 'postgres://127.0.0.1:1/spec']),
  E41: otherCacheMode,
  E46: afterCopy(),
  E47: afterCopy('--verify'),
  E48: told([...RUN, '--max-queue-depth', '1'], { files: { 'docs/02.md': 'Two.\n' } }),
  E99: ofError(
    Object.assign(new TypeError('x is undefined'), {
      stack: `TypeError: x is undefined\n    at work (file://${ROOT}/dist/cli/run.js:73:22)`,
    }),
  ),
};
