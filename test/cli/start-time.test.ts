import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { BINARY } from './binary.ts';

const ROUNDS = 15;

/** Milliseconds that a process of Node took. */
function took(...args: string[]): number {
  const start = performance.now();
  execFileSync(process.execPath, args);
  return performance.now() - start;
}

/** The quickest of several is the one that other work on the machine disturbed least. */
test('aieval --version takes at most twice as long as node -e 0', () => {
  const bare: number[] = [];
  const version: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    bare.push(took('-e', '0'));
    version.push(took(BINARY, '--version'));
  }
  expect(Math.min(...version) / Math.min(...bare)).toBeLessThanOrEqual(2);
  expect(median(version) / median(bare)).toBeLessThanOrEqual(2);
});

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
