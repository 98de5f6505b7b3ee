import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { canAsk, confirm } from '../../src/cli/confirm.ts';
import { resolveGlobals } from '../../src/cli/globals.ts';
import { FakeStream, fakeIo } from './fake-io.ts';

function terminal(): { readonly io: ReturnType<typeof fakeIo>; readonly keys: PassThrough } {
  const keys = Object.assign(new PassThrough(), { isTTY: true });
  return { keys, io: fakeIo({ stderr: new FakeStream(80), stdin: keys }) };
}

test('only a person at a terminal can be asked', () => {
  expect(canAsk(terminal().io)).toBe(true);
  expect(canAsk(fakeIo({ stderr: new FakeStream(80) }))).toBe(false);
  expect(canAsk(fakeIo({ stdin: terminal().keys }))).toBe(false);
});

test('nobody is asked with --no-input', () => {
  const { io } = terminal();
  expect(canAsk(resolveGlobals({ input: false }, io).io)).toBe(false);
  expect(canAsk(resolveGlobals({}, { ...io, env: { AIEVAL_NO_INPUT: 'true' } }).io)).toBe(false);
  expect(canAsk(resolveGlobals({}, { ...io, env: { AIEVAL_NO_INPUT: '0' } }).io)).toBe(true);
});

test('yes is y or yes; anything else, also the end of input, is no', async () => {
  for (const [typed, agreed] of [
    ['y\n', true],
    [' YES \n', true],
    ['\n', false],
    ['yep\n', false],
    ['n\ny\n', false],
    ['', false],
  ] as const) {
    const { io, keys } = terminal();
    keys.end(typed);
    expect(await confirm(io, 'Really?'), JSON.stringify(typed)).toBe(agreed);
    // The end of input ends no line.
    expect(io.stderr.text).toBe(`Really? [y/N] ${typed === '' ? '\n' : ''}`);
  }
});
