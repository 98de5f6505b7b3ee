import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { BINARY } from './binary.ts';

const FEWEST_ROUNDS = 5;
const MOST_ROUNDS = 60;

/** Milliseconds that a process of Node took. */
function took(...args: string[]): number {
  const start = performance.now();
  execFileSync(process.execPath, args);
  return performance.now() - start;
}

/** The quickest of several is the one that other work on the machine disturbed least; on a loaded machine it takes more of them. */
test('aieval --version takes at most twice as long as node -e 0', () => {
  let bare = Number.POSITIVE_INFINITY;
  let version = Number.POSITIVE_INFINITY;
  for (let round = 0; round < MOST_ROUNDS && (round < FEWEST_ROUNDS || version > 2 * bare); round += 1) {
    bare = Math.min(bare, took('-e', '0'));
    version = Math.min(version, took(BINARY, '--version'));
  }
  expect(version / bare).toBeLessThanOrEqual(2);
});
