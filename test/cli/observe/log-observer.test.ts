import { mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { logObserver } from '../../../src/cli/observe/log-observer.ts';
import { STEP } from '../../observe/sample-news.ts';
import { fakeIo } from '../fake-io.ts';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'aieval-log-'));
});
afterEach(() => rmSync(cwd, { recursive: true }));

const LOST = { kind: 'step.ended', step: STEP, atMs: 0, outcome: 'lost', failure: null, retryAtMs: null } as const;
const lines = (): string[] => readFileSync(join(cwd, 'work.log'), 'utf8').trimEnd().split('\n');

test('a log that cannot be written for a while is told once, and goes on when it can', async () => {
  const told: string[] = [];
  const log = logObserver(fakeIo({ cwd }), { logFile: 'work.log' }, (message) => told.push(message));
  log.onWork?.(LOST);
  expect(lines()).toHaveLength(1);
  rmSync(join(cwd, 'work.log'));
  mkdirSync(join(cwd, 'work.log'));
  log.onWork?.(LOST);
  log.onWork?.(LOST);
  expect(told).toEqual(['work.log cannot be written (EISDIR): the log has a gap']);
  rmdirSync(join(cwd, 'work.log'));
  log.onWork?.(LOST);
  expect(lines()).toHaveLength(1);
  await log.close();
});

test('the values of secret variables are in no line, wherever they come from', async () => {
  const io = fakeIo({ cwd, env: { LAB_TOKEN: 'a-secret-value', HOME: '/home/ann' } });
  const log = logObserver(io, { logFile: 'work.log' }, () => undefined);
  log.onWork?.({ ...LOST, step: { ...STEP, documentId: 'docs/a-secret-value.md', task: '/home/ann' } });
  await log.close();
  expect(JSON.parse(lines()[0] ?? '')).toMatchObject({ document: 'docs/[removed].md', task: '/home/ann' });
});
