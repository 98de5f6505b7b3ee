import { afterEach, expect, test, vi } from 'vitest';
import { answerJson, startScriptedServer } from '../providers/scripted-server.ts';
import { documents, goodAnswer, lastRecord, manifest, type Project, project } from './project.ts';

// Several processes, one after the other.
vi.setConfig({ testTimeout: 120_000 });

let folder: Project | null = null;
afterEach(() => folder?.remove());

test('a start that is refused says which run the latest still is', async () => {
  const server = await startScriptedServer({ respond: ({ prompt }) => answerJson(goodAnswer(prompt)) });
  const place = project({ files: { 'manifest.json': manifest(server.baseUrl), ...documents(1) } });
  folder = place;
  const keyless = manifest(server.baseUrl, { providers: { lab: { type: 'openai', baseUrl: server.baseUrl, apiKeyEnv: 'LAB_KEY' } } });
  place.write('manifest.json', keyless);
  const first = await place.aieval('run', 'manifest.json');
  expect(first).toMatchObject({ exitCode: 4, stderr: expect.not.stringContaining('the latest') });
  place.write('manifest.json', manifest(server.baseUrl));
  const { run } = lastRecord((await place.aieval('run', 'manifest.json', '--json')).stdout);
  await server.close();
  place.write('docs/02.md', '# Another\n\nDevice 02 shall answer within 5 ms.\n');
  const note = new RegExp(
    `^note: no run was started; the latest is still ${run} \\(finished pass, started \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d\\)$`,
    'm',
  );
  const unreachable = await place.aieval('run', 'manifest.json');
  expect(unreachable).toMatchObject({ exitCode: 4, stderr: expect.stringMatching(note) });
  expect(unreachable.stderr).toContain('error[E14]');
  expect((await place.aieval('run', 'manifest.json', '-q')).stderr).not.toMatch(note);
  place.write('manifest.json', keyless);
  expect((await place.aieval('run', 'manifest.json')).stderr).toMatch(note);
});
