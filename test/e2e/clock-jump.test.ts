import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import BetterSqlite3 from 'better-sqlite3';
import { afterEach, describe, expect, test } from 'vitest';
import { ended, start } from '../cli/binary.ts';
import { answerJson, startScriptedServer, status } from '../providers/scripted-server.ts';
import { documents, goodAnswer, lastRecord, manifest, project } from './project.ts';

const SHIFTED_CLOCK = fileURLToPath(new URL('./shifted-clock.mjs', import.meta.url));
const HOUR_MS = 3_600_000;
/** Far more renewals than a lease would have stood without: whoever wanted to take one over would have. */
const RENEWALS = 30;
const LEASE = { ttlMs: 2000, beatMs: 200, deadlineMs: 600_000 };

const undo: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

async function until(ready: () => boolean): Promise<void> {
  while (!ready()) await new Promise((resolve) => setTimeout(resolve, 20));
}

describe.each([
  ['six hours ahead, as after a night', 6 * HOUR_MS],
  ['an hour back', -HOUR_MS],
])('when the clock jumps %s', (_, jumpMs) => {
  test('two processes at work lose no lease, call nothing twice, and wait for no hour', { timeout: 60_000 }, async () => {
    let open = (): void => undefined;
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const server = await startScriptedServer({
      respond: async ({ prompt, n }) => {
        if (n === 1) return status(500, {});
        await opened;
        return answerJson(goodAnswer(prompt));
      },
    });
    undo.push(server.close);
    const parts = { concurrency: 2, lease: LEASE };
    const place = project({ files: { 'manifest.json': manifest(server.baseUrl, parts), ...documents(5), clock: '0' } });
    undo.push(place.remove);
    const env = { CLOCK_FILE: join(place.dir, 'clock') };
    const run = () => start(['run', 'manifest.json', '--json'], { cwd: place.dir, env, nodeArguments: ['--import', SHIFTED_CLOCK] });

    const first = ended(run());
    await until(() => server.requests.length >= 3);
    const second = ended(run());
    await until(() => server.requests.length >= 5);
    writeFileSync(join(place.dir, 'clock'), String(jumpMs));
    await renewals(join(place.dir, '.aieval/aieval.db'), RENEWALS);
    open();

    for (const { exitCode, stdout, stderr } of [await first, await second]) {
      expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
      expect(lastRecord(stdout)).toMatchObject({ jobs: { succeeded: 5 } });
      expect(stdout).not.toContain('lease.lost');
    }
    // One of the five was refused once, and asked again.
    expect(server.requests).toHaveLength(6);
    expect(new Set(server.requests.map(({ prompt }) => prompt)).size).toBe(5);
  });
});

/** Resolves when the leases that are held were renewed so often. */
async function renewals(path: string, count: number): Promise<void> {
  const db = new BetterSqlite3(path, { readonly: true });
  const seen = new Set<unknown>();
  const newest = db.prepare(`SELECT max(lease_expires_at_ms) FROM steps WHERE state = 'running'`).pluck();
  await until(() => seen.add(newest.get()).size > count);
  db.close();
}
