import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { aieval } from '../binary.ts';
import { DOCUMENT, folder, manifestText } from './case.ts';

const SENTENCE = 'Device 01 shall answer within 5 ms.';
const KEY = 'sk-proj-abcdef1234567890abcdef';
const ENV = { LAB_KEY: 'planted-secret' };

/** A bug whose message holds whatever a message can hold. */
const thrown = `Object.assign(new TypeError('${SENTENCE}\\n    at ${SENTENCE} (/x.js:1:1) ${KEY} ' + process.env.LAB_KEY), { name: '${SENTENCE}', cause: new RangeError('${SENTENCE}') })`;
const AWAITED = `data:text/javascript,import crypto from 'node:crypto'; import { syncBuiltinESMExports } from 'node:module'; crypto.randomUUID = () => { throw ${encodeURIComponent(thrown)} }; syncBuiltinESMExports();`;
/** As soon as the command says that its run has begun, in a callback of nobody's. */
const UNCAUGHT = `data:text/javascript,${encodeURIComponent(
  `const write = process.stderr.write; process.stderr.write = function (text, ...rest) { if (String(text).includes('INFO run ')) setImmediate(() => { throw ${thrown} }); return write.call(this, text, ...rest) };`,
)}`;
const REJECTED = `data:text/javascript,${encodeURIComponent(
  `const write = process.stderr.write; process.stderr.write = function (text, ...rest) { if (String(text).includes('INFO run ')) Promise.reject(${thrown}); return write.call(this, text, ...rest) };`,
)}`;

const place = () => folder({ files: { 'manifest.json': manifestText(), ...DOCUMENT } });
const crashes = (dir: string) => readdirSync(dir).filter((name) => name.startsWith('crash-'));

describe('E99: a bug', () => {
  test.each([
    ['that is awaited', AWAITED],
    ['in a callback', UNCAUGHT],
    ['in a promise that nobody awaits', REJECTED],
  ])('%s exits 70, prints the stack, and leaves a report without keys or document text', async (_where, bug) => {
    const { dir } = place();
    const args = ['run', 'manifest.json', '--concurrency=5'];
    const { exitCode, stderr } = await aieval(args, { cwd: dir, env: ENV, nodeArguments: ['--import', bug] });
    expect(exitCode).toBe(70);
    const [name = ''] = crashes(join(dir, '.aieval'));
    const path = join(dir, '.aieval', name);
    const lines = stderr.slice(stderr.indexOf('error[E99]')).split('\n');
    expect(lines[0]).toMatch(/^error\[E99\]: TypeError: Device 01 shall answer within 5 ms\. at .* \*+ \*\*\*$/);
    expect(lines[1]).toMatch(/^ {4}at \S/);
    // What nobody awaited ends the run, whose own closing lines follow.
    const saved = lines.indexOf(`report saved to ${path} (no keys, no document text)`);
    expect(lines[saved + 1]).toBe('next: please report this, it is a bug in aieval; runs and answers are kept in the database');
    for (const secret of [KEY, ENV.LAB_KEY]) expect(stderr).not.toContain(secret);

    const text = readFileSync(path, 'utf8');
    for (const secret of [KEY, ENV.LAB_KEY, 'Device', 'answer', dir]) expect(text).not.toContain(secret);
    expect(JSON.parse(text)).toEqual({
      v: 1,
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      node: process.versions.node,
      platform: `${process.platform} ${process.arch}`,
      betterSqlite3: '12.11.1',
      command: ['run', 'manifest.json', '--concurrency=5'],
      run: expect.stringMatching(/^r-[0-9a-v]{8}$/),
      error: {
        class: 'TypeError',
        code: null,
        frames: expect.arrayContaining([expect.stringMatching(/:\d+:\d+\)?$/)]),
        cause: { class: 'RangeError', code: null, frames: expect.any(Array), cause: null },
      },
    });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    // What it had begun goes on.
    expect((await aieval(['run', 'manifest.json'], { cwd: dir })).exitCode).toBe(0);
  });

  test('in CI the message stays out of the log', async () => {
    const { dir } = place();
    const env = { ...ENV, CI: 'true' };
    const { exitCode, stderr } = await aieval(['run', 'manifest.json', '--json'], { cwd: dir, env, nodeArguments: ['--import', AWAITED] });
    expect(exitCode).toBe(70);
    expect(stderr).toContain("error[E99]: TypeError (its message is left out in CI: it may hold a document's text)\n");
    expect(stderr).not.toContain('Device');
  });

  test('with --json the last line is the error, with the path of the report', async () => {
    const { dir } = place();
    const { stderr } = await aieval(['run', 'manifest.json', '--json'], { cwd: dir, env: ENV, nodeArguments: ['--import', AWAITED] });
    const record = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '');
    expect(record).toMatchObject({ v: 1, event: 'error', code: 'E99', exitCode: 70, report: expect.stringContaining('/.aieval/crash-') });
  });

  test('where there is no state folder the report goes into the folder for temporary files', async () => {
    const { dir } = folder({ files: { 'tmp/.keep': '' } });
    const bug = `data:text/javascript,${encodeURIComponent(`process.stdout.write = () => { throw ${thrown} }`)}`;
    const { exitCode, stderr } = await aieval(['doctor'], {
      cwd: dir,
      env: { TMPDIR: join(dir, 'tmp') },
      nodeArguments: ['--import', bug],
    });
    expect(exitCode).toBe(70);
    expect(stderr).toContain(`report saved to ${join(dir, 'tmp', 'crash-')}`);
    expect(crashes(join(dir, 'tmp'))).not.toEqual([]);
  });

  test('where nothing can be written the stack is printed all the same', async () => {
    const { dir } = folder();
    const bug = `data:text/javascript,${encodeURIComponent(`process.stdout.write = () => { throw ${thrown} }`)}`;
    const { exitCode, stderr } = await aieval(['doctor'], { cwd: dir, env: { TMPDIR: '/dev/null' }, nodeArguments: ['--import', bug] });
    expect(exitCode).toBe(70);
    expect(stderr).toMatch(/^error\[E99\]: TypeError: .*\n {4}at /);
    expect(stderr).toContain('\nthe report could not be saved\n');
  });
});
