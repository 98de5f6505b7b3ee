import { describe, expect, test } from 'vitest';
import { EXIT, EXIT_MEANINGS, exitCodeOf, worst } from '../../src/cli/exit-codes.ts';

const DOCUMENTED_ORDER = [[130, 143], [70], [8], [7], [6], [4], [3], [1], [9], [5], [0]];

describe('exit codes', () => {
  test('every code outweighs all that stand behind it in the documented order', () => {
    const order = DOCUMENTED_ORDER.flat();
    for (const [place, code] of order.entries()) {
      for (const weaker of order.slice(place + 1)) {
        expect(worst([weaker, code])).toBe(code);
        expect(worst([code, weaker])).toBe(code);
      }
    }
  });

  test('nothing to report is a pass', () => {
    expect(worst([])).toBe(0);
  });

  test('a code that nobody knows counts as a bug would, never as a pass', () => {
    expect(worst([0, 99])).toBe(99);
    expect(worst([8, 99])).toBe(99);
    expect(worst([130, 99])).toBe(130);
  });

  test('a verdict alone gives 0, 1 or 3', () => {
    expect([exitCodeOf('pass'), exitCodeOf('fail'), exitCodeOf('incomplete')]).toEqual([0, 1, 3]);
  });

  test('every code has a line of help', () => {
    expect(EXIT_MEANINGS.map(([code]) => code).sort()).toEqual(Object.values(EXIT).sort());
  });
});
