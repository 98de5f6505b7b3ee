import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { TestProject } from 'vitest/node';
import { isRunning, PID_FILE } from './server.ts';

/** A folder for the server of this test run, which the first test that needs one starts there; and its end. */
export function setup(project: TestProject): () => Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'aieval-pg-'));
  project.provide('postgresFolder', folder);
  return () => teardown(folder);
}

async function teardown(folder: string): Promise<void> {
  const file = join(folder, PID_FILE);
  if (existsSync(file)) await end(Number(readFileSync(file, 'utf8')));
  rmSync(folder, { recursive: true, force: true });
}

/** Fast shutdown: connections that a test left open are closed. */
async function end(pid: number): Promise<void> {
  if (!isRunning(pid)) return;
  process.kill(pid, 'SIGINT');
  while (isRunning(pid)) await pause(20);
}
