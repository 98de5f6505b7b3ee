import { describe, expect, it } from 'vitest';
import { ServerWatch } from '../../../src/store/postgres/server-watch.ts';

const PATIENCE_MS = 10_000;

function watch(): ServerWatch {
  return new ServerWatch('postgres://db.example/specs', { patienceMs: PATIENCE_MS, onServer: () => undefined });
}

/** When a connection was begun that has taken all the time that there is. */
const longAgoMs = () => performance.now() - PATIENCE_MS - 1;

describe('a server to which the first connection came to nothing, after all the time that there is', () => {
  it('is tried once more, and then given up', () => {
    const server = watch();
    server.silent(longAgoMs());
    server.failed(new Error('timeout'));
    expect(server.isWaitedFor()).toBe(true);
    server.failed(new Error('timeout'));
    expect(server.isWaitedFor()).toBe(false);
  });

  it('is given up at once by somebody who is to leave', () => {
    const server = watch();
    server.hurry('soon');
    server.silent(longAgoMs());
    server.failed(new Error('timeout'));
    expect(server.isWaitedFor()).toBe(false);
  });
});
