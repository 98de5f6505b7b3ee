import { describe, expect, test } from 'vitest';
import { crashCommand } from '../../../src/cli/crash/crash-command.ts';
import { crashError } from '../../../src/cli/crash/crash-record.ts';

const SENTENCE = 'Device 01 shall answer within 5 ms.';

describe('what a crash report keeps of an error', () => {
  test('class, code and frames, not its words, whatever they pretend to be', () => {
    const error = Object.assign(new TypeError(`${SENTENCE}\n    at ${SENTENCE} (/x.js:1:1)\n    at Device (/x.js:1:1)`), {
      code: 'ENOENT',
    });
    const { frames, ...rest } = crashError(error);
    expect(rest).toEqual({ class: 'TypeError', code: 'ENOENT', cause: null });
    expect(frames[0]).toMatch(/crash-record\.test\.ts:\d+:\d+\)?$/);
    expect(frames.join('')).not.toContain('Device');
  });

  test('a name or a code that is set to any text is not kept, nor a code that nobody here gives', () => {
    const error = Object.assign(new Error('x'), { name: SENTENCE, code: SENTENCE });
    expect(crashError(error)).toMatchObject({ class: 'Error', code: '<…>' });
    for (const code of ['PROJECT_FALCON', 'EFALCON']) expect(crashError(Object.assign(new Error('x'), { code })).code).toBe('<…>');
    for (const code of ['ENOENT', 'EAI_AGAIN', 'ENOTFOUND', 'ERR_INVALID_ARG_TYPE', 'SQLITE_BUSY_SNAPSHOT', 'E14'])
      expect(crashError(Object.assign(new Error('x'), { code })).code).toBe(code);
  });

  test('paths end at the package, and causes are followed, not for ever', () => {
    const loop = new Error('loop');
    loop.cause = loop;
    loop.stack = 'Error: loop\n    at work (file:///home/ann/lib/aieval/dist/cli/run.js:73:22)\n    at node:internal/timers:581:17';
    const kept = crashError(loop);
    expect(kept.frames).toEqual(['work (dist/cli/run.js:73:22)', 'node:internal/timers:581:17']);
    let depth = 0;
    for (let one = kept.cause; one !== null; one = one.cause) depth += 1;
    expect(depth).toBe(5);
  });

  test('what was thrown and is no error has no frames', () => {
    expect(crashError(SENTENCE)).toEqual({ class: 'string', code: null, frames: [], cause: null });
  });
});

describe('what a crash report keeps of the command line', () => {
  test('commands, options, numbers, run ids and names of files; no other value', () => {
    expect(crashCommand(['run', '/home/ann/spec/manifest.json', '--max-cost', '5', '--db=postgres://u:secret@h/d', '-q'])).toEqual([
      ...['run', '…/manifest.json', '--max-cost', '5', '--db=<…>', '-q'],
    ]);
    expect(crashCommand(['quote', 'spec.md', SENTENCE, 'plain'])).toEqual(['quote', 'spec.md', '<…>', '<…>']);
    expect(crashCommand(['cache', 'stats', 'r-8kq2v7ab', 'latest'])).toEqual(['cache', 'stats', 'r-8kq2v7ab', 'latest']);
  });
});
