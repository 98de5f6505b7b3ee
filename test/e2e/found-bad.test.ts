import { afterEach, expect, test, vi } from 'vitest';
import { answer, startScriptedServer } from '../providers/scripted-server.ts';
import { documents, manifest, type Project, project } from './project.ts';

vi.setConfig({ testTimeout: 90_000 });

const undo: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

/** The lines of the jobs, without the header. */
function results(place: Project, runId: string): Record<string, unknown>[] {
  const [, ...lines] = place.read(`.aieval/runs/${runId}/results.jsonl`).trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line));
}

test('two unfinished runs with the same question pay once for its bad answer, and both tell of it in all their files', async () => {
  const server = await startScriptedServer({ respond: () => answer('no JSON at all') });
  undo.push(server.close);
  const { quotes } = JSON.parse(manifest(server.baseUrl)).tasks;
  const content = manifest(server.baseUrl, { tasks: { quotes: { ...quotes, requires: ['gpu'] } } });
  const place = project({ files: { 'manifest.json': content, ...documents(1) } });
  undo.push(place.remove);
  const runIds: string[] = [];
  for (const more of [[], ['--new']]) {
    const { exitCode, stderr } = await place.aieval('run', 'manifest.json', ...more);
    expect(exitCode).toBe(3);
    runIds.push(/run (r-[0-9a-v]{8}) name=/.exec(stderr)?.[1] ?? '');
  }
  expect(server.requests).toHaveLength(0);
  await place.aieval('worker', '--exit-when-idle', '--tags', 'gpu', '--concurrency', '1');
  // The question and its re-ask.
  expect(server.requests).toHaveLength(2);
  const [first = '', second = ''] = runIds;
  expect(results(place, first)).toMatchObject([{ state: 'failed', calls: 2, error: { reason: 'invalid_answer' } }]);
  const message = expect.stringContaining('known from an earlier run, not asked again');
  expect(results(place, second)).toMatchObject([{ state: 'failed', calls: 0, error: { reason: 'invalid_answer', message } }]);
  expect(place.read(`.aieval/runs/${second}/summary.md`)).toContain('invalid_answer');
  expect((await place.aieval('status', second, '--json')).stdout).toContain('"state":"finished"');
});
