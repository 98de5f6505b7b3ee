import { describe, expect, test } from 'vitest';
import { asWorker } from '../../src/engine/as-worker.ts';

const WORKER = { workerId: 'w1', runId: null, hostId: 'h', hostname: 'laptop', pid: 1, version: '0.1.0' };

describe('work as a registered worker', () => {
  test('is registered before and forgotten afterwards', async () => {
    const told: string[] = [];
    const store = {
      registerWorker: async ({ workerId }: { workerId: string }) => void told.push(`register ${workerId}`),
      removeWorker: async (workerId: string) => void told.push(`remove ${workerId}`),
    };
    expect(await asWorker(store, WORKER, async () => told.push('work'))).toBe(2);
    expect(told).toEqual(['register w1', 'work', 'remove w1']);
  });

  test('what ended the work is told, not that a broken storage refused the goodbye', async () => {
    const store = { registerWorker: async () => undefined, removeWorker: () => Promise.reject(new Error('second')) };
    await expect(asWorker(store, WORKER, () => Promise.reject(new Error('first')))).rejects.toThrow('first');
    await expect(asWorker(store, WORKER, async () => 'done')).rejects.toThrow('second');
  });
});
