import { describe, expect, test } from 'vitest';
import { displayKind, isCi, usableColumns, wantsColour } from '../../../src/cli/terminal/look.ts';
import { FakeStream } from '../fake-io.ts';

const TERMINAL = new FakeStream(100);
const PIPE = new FakeStream();
const SIZELESS = new FakeStream(0, 0);

describe('colour', () => {
  test.each([
    ['a terminal', TERMINAL, {}, false, true],
    ['a pipe', PIPE, {}, false, false],
    ['--no-color beats FORCE_COLOR', TERMINAL, { FORCE_COLOR: '1' }, true, false],
    ['NO_COLOR beats FORCE_COLOR', TERMINAL, { NO_COLOR: '1', FORCE_COLOR: '1' }, false, false],
    ['an empty NO_COLOR is not set', TERMINAL, { NO_COLOR: '' }, false, true],
    ['FORCE_COLOR colours a pipe', PIPE, { FORCE_COLOR: '1' }, false, true],
    ['FORCE_COLOR=0 switches it off', TERMINAL, { FORCE_COLOR: '0' }, false, false],
    ['TERM=dumb', TERMINAL, { TERM: 'dumb' }, false, false],
    ['CI alone says nothing about colour', TERMINAL, { CI: '1' }, false, true],
  ])('%s', (_, stream, env: Record<string, string>, flag, expected) => {
    expect(wantsColour(stream, env, flag)).toBe(expected);
  });
});

test('the width of a terminal counts where it knows one', () => {
  expect([TERMINAL, PIPE, SIZELESS].map((stream) => usableColumns(stream, 120))).toEqual([100, 120, 120]);
});

describe('the kind of display', () => {
  test.each([
    ['a terminal gets the panel', TERMINAL, {}, null, false, 'full'],
    ['a pipe gets lines', PIPE, {}, null, false, 'plain'],
    ['CI gets lines', TERMINAL, { CI: 'true' }, null, false, 'plain'],
    ['CI=false is no CI', TERMINAL, { CI: 'false' }, null, false, 'full'],
    ['-q gets nothing', TERMINAL, {}, null, true, 'none'],
    ['--display beats -q, CI and the environment', TERMINAL, { CI: '1', AIEVAL_DISPLAY: 'none' }, 'full', true, 'full'],
    ['AIEVAL_DISPLAY beats CI', TERMINAL, { CI: '1', AIEVAL_DISPLAY: 'full' }, null, false, 'full'],
    ['an unknown AIEVAL_DISPLAY is ignored', PIPE, { AIEVAL_DISPLAY: 'rich' }, null, false, 'plain'],
    ['no panel without a terminal, even if asked for', PIPE, {}, 'full', false, 'plain'],
    ['no panel on a dumb terminal', TERMINAL, { TERM: 'dumb' }, null, false, 'plain'],
    ['no panel on a terminal that does not know its size', SIZELESS, {}, null, false, 'plain'],
    ['nor if asked for', SIZELESS, { AIEVAL_DISPLAY: 'full' }, 'full', false, 'plain'],
    ['nor on one without columns', new FakeStream(0, 24), {}, null, false, 'plain'],
    ['nor on one without rows', new FakeStream(100, 0), {}, null, false, 'plain'],
  ] as const)('%s', (_, stream, env: Record<string, string>, chosen, quiet, expected) => {
    expect(displayKind(stream, env, chosen, quiet)).toBe(expected);
  });

  test('CI is on when set to anything but a no', () => {
    expect([{ CI: '1' }, { CI: 'true' }, { CI: '' }, { CI: '0' }, { CI: 'false' }, {}].map(isCi)).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });
});
