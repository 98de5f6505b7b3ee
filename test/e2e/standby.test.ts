import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ended, start } from '../cli/binary.ts';
import { BreakingProxy } from '../store/postgres/proxy.ts';
import { schemaUrl } from '../store/postgres/server.ts';
import { until } from './gated-server.ts';

test('a worker that waits for the first run can be asked to leave while the server is away', { timeout: 60_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'aieval-standby-'));
  const url = new URL(await schemaUrl(`standby_${process.pid}`));
  const proxy = new BreakingProxy(url);
  const child = start(['worker'], { cwd: folder, env: { AIEVAL_STORE: await proxy.location(url) } });
  try {
    const end = ended(child);
    let told = '';
    child.stderr?.on('data', (text: string) => {
      told += text;
    });
    await until(() => told.includes('waiting for the first one'));
    proxy.become('cut');
    const { tried } = proxy;
    await until(() => proxy.tried > tried);
    child.kill('SIGINT');
    expect((await end).exitCode).toBe(130);
  } finally {
    child.kill('SIGKILL');
    await proxy.close();
    rmSync(folder, { recursive: true });
  }
});
