import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { hostname } from 'node:os';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { BINARY } from '../cli/binary.ts';
import { lane } from '../store/rows.ts';
import { openTempStore, type SqliteBench } from '../store/sqlite/open-store.ts';
import { mixStates, planBigRun } from './big-run.ts';
import { median } from './median.ts';

const LOOPS = fileURLToPath(new URL('../store/sqlite/contention/loops.mjs', import.meta.url));
const ROUNDS = 15;
const PROCESSES = 4;
const JOBS = 100_000;

let opened: SqliteBench;
let workers: ChildProcess[] = [];
afterEach(async () => {
  await Promise.all(workers.map(stopped));
  workers = [];
  await opened.dispose();
});

/** Milliseconds that a process of Node took. */
function took(...args: string[]): number {
  const start = performance.now();
  execFileSync(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  return performance.now() - start;
}

function startWorker(id: string): ChildProcess {
  const options = JSON.stringify({ mostMs: 20 });
  return spawn(process.execPath, [LOOPS, opened.path, 'r1', id, options], { stdio: ['ignore', 'ignore', 'inherit'] });
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) throw new Error(`A worker ended by itself with ${child.exitCode}`);
  child.kill('SIGKILL');
  await once(child, 'close');
}

it.each([1, 3])(
  'status of 100,000 jobs with %i repeats, while 4 processes work, takes at most 4 times as long as node -e 0',
  async (repeats) => {
    opened = await openTempStore(Date.now);
    const { store, db, path } = opened;
    await planBigRun(store, db, { runId: 'r1', jobs: JOBS, repeats, run: { lanes: [lane({ concurrency: 12 })] } });
    mixStates(db, 'r1', Date.now());
    workers = Array.from({ length: PROCESSES }, (_, i) => startWorker(`p${i}`));
    while ((await store.runTotals('r1')).calls < 20) await new Promise((resolve) => setTimeout(resolve, 50));
    const times: Record<'node' | 'json' | 'plain', number[]> = { node: [], json: [], plain: [] };
    for (let round = 0; round < ROUNDS; round += 1) {
      times.node.push(took('-e', '0'));
      times.json.push(took(BINARY, '--db', path, 'status', '--json'));
      times.plain.push(took(BINARY, '--db', path, 'status'));
    }
    const { calls } = await store.runTotals('r1');
    const [node, json, plain] = [median(times.node), median(times.json), median(times.plain)];
    console.log(
      `status, ${JOBS} jobs, repeats ${repeats}, ${calls} calls meanwhile on ${hostname()}: node ${node.toFixed(0)} ms, ` +
        `--json ${json.toFixed(0)} ms (${(json / node).toFixed(2)}×), plain ${plain.toFixed(0)} ms (${(plain / node).toFixed(2)}×)`,
    );
    expect(json / node).toBeLessThanOrEqual(4);
    expect(plain / node).toBeLessThanOrEqual(4);
  },
);
