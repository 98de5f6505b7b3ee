import { afterEach, describe, expect, test } from 'vitest';
import { answerJson, startScriptedServer } from '../providers/scripted-server.ts';
import { documents, goodAnswer, lastRecord, manifest, project } from './project.ts';

const undo: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

describe('a call that never ends', () => {
  test('ends at the hard deadline of its step, is tried again, and goes to the DLQ as "deadline"; the others succeed', async () => {
    const server = await startScriptedServer({
      respond: async ({ prompt, gone }) => {
        if (prompt.includes('Device 02')) await gone;
        return answerJson(goodAnswer(prompt));
      },
    });
    undo.push(server.close);
    const parts = { lease: { ttlMs: 1000, beatMs: 100, deadlineMs: 600 }, retry: { attempts: 2 } };
    const place = project({ files: { 'manifest.json': manifest(server.baseUrl, parts), ...documents(3) } });
    undo.push(place.remove);

    const { stdout } = await place.aieval('run', 'manifest.json', '--json');
    expect(lastRecord(stdout)).toMatchObject({ exitCode: 3, jobs: { succeeded: 2, failed: 1 }, calls: 4 });
    const status = await place.aieval('status', '--json');
    expect(JSON.parse(status.stdout)).toMatchObject({ dlq: [{ reason: 'deadline', count: 1 }], cost: { uncertainCalls: 2 } });
  });
});
