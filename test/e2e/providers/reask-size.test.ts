import { Client } from 'pg';
import { describe, expect, test, vi } from 'vitest';
import { schemaUrl } from '../../store/postgres/server.ts';
import { lastRecord } from '../project.ts';
import { type AtWork, afterwards, atWork, type Setting } from './at-work.ts';
import { good, paid } from './scriptable-provider.ts';

// Each test starts several processes, one after the other.
vi.setConfig({ testTimeout: 90_000 });

const SCHEMA = `e2e_reask_${process.pid}`;

/** Where the run is kept, as the program's environment says it. */
const STORES: readonly (readonly [name: string, place: () => Promise<Readonly<Record<string, string>>>])[] = [
  ['SQLite', async () => ({})],
  ['PostgreSQL', onPostgres],
];

async function onPostgres(): Promise<Readonly<Record<string, string>>> {
  const store = await schemaUrl(SCHEMA);
  const url = new URL(store);
  url.searchParams.delete('schema');
  afterwards(async () => {
    const db = new Client({ connectionString: url.href });
    await db.connect();
    await db.query(`DROP SCHEMA IF EXISTS "${SCHEMA}" CASCADE`);
    await db.end();
  });
  return { AIEVAL_STORE: store };
}

/** Breaks the schema, and is sent back with the errors; about 20 000 tokens. */
const LONG = JSON.stringify({ findings: 'the link shall train again '.repeat(4000) });

/** Two documents, of which the model answers one with far more words than it was allowed. */
async function talkative(env: Setting['env'], parts: Setting): Promise<AtWork> {
  const setting = { documents: 2, manifest: { budget: { usd: 0.02 } }, ...parts, env: env ?? {} };
  return await atWork((asked) => (asked.prompt.includes('Device 01') ? paid(asked, LONG) : good(asked)), setting);
}

describe.each(STORES)('on %s', (_name, place) => {
  test('an answer that is too long to be sent back to its model ends its job as invalid: nothing is asked, no budget stops the run', async () => {
    const work = await talkative(await place(), { model: { contextTokens: 8000 } });
    const { exitCode, stderr, stdout } = await work.place.aieval('run', 'manifest.json');
    expect(work.provider.requests).toHaveLength(2);
    const said = stdout + stderr;
    expect(said).toContain('invalid_answer');
    expect(said).toContain('contextTokens = 8000 of model "small"');
    expect(said).not.toMatch(/budget(:| reached)|--max-cost/);
    expect(exitCode).toBe(3);
    const status = JSON.parse((await work.place.aieval('status', '--json')).stdout);
    expect(status).toMatchObject({
      run: { state: 'finished' },
      calls: 2,
      waiting: [],
      dlq: [{ reason: 'invalid_answer', count: 1 }],
      jobs: { queued: 0, failed: 1 },
    });
  });

  test('an answer that its model can take again is sent back', async () => {
    const work = await talkative(await place(), { model: { contextTokens: 200_000 }, manifest: {} });
    expect(lastRecord((await work.place.aieval('run', 'manifest.json', '--json')).stdout)).toMatchObject({ calls: 3 });
    expect(work.provider.requests).toHaveLength(3);
  });
});
