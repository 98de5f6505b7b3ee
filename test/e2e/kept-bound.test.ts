import { afterEach, describe, expect, test, vi } from 'vitest';
import { ended, start } from '../cli/binary.ts';
import { answerJson, startScriptedServer } from '../providers/scripted-server.ts';
import { gatedServer, until } from './gated-server.ts';
import { hereJson } from './here.ts';
import { documents, goodAnswer, manifest, type Project, project } from './project.ts';

vi.setConfig({ testTimeout: 60_000 });

const undo: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

/** What an answer costs by the manifest of `project.ts`: 100 tokens in, 10 out. */
const ANSWER_USD = 0.00012;

async function sixDocuments(parts: object = {}): Promise<{ place: Project; calls: () => number }> {
  const server = await startScriptedServer({ respond: ({ prompt }) => answerJson(goodAnswer(prompt)) });
  undo.push(server.close);
  const place = project({ files: { 'manifest.json': manifest(server.baseUrl, parts), ...documents(6) } });
  undo.push(place.remove);
  return { place, calls: () => server.requests.length };
}

const limitOf = async (place: Project): Promise<unknown> => Object((await hereJson(place, 'status')).cost).budgetUsd;

describe('a bound that --max-cost gave a run', () => {
  test('holds for the same command without it, which says so, until another is stated', async () => {
    const { place, calls } = await sixDocuments();
    const bound = String(3 * ANSWER_USD);
    expect(await place.aieval('run', 'manifest.json', '--max-cost', bound)).toMatchObject({ exitCode: 6 });
    const asked = calls();
    const again = await place.aieval('run', 'manifest.json');
    expect(again.exitCode).toBe(6);
    expect(again.stderr).toMatch(/note: run r-\w+ keeps the bound of \$0\.00036 that an earlier start gave it; --max-cost changes it/);
    expect(calls()).toBe(asked);
    expect(await limitOf(place)).toBe(Number(bound));
    const raised = await place.aieval('run', 'manifest.json', '--max-cost', '1');
    expect(raised.exitCode).toBe(0);
    expect(raised.stderr).not.toContain('keeps the bound');
  });

  test('lower than that of the manifest, it stays the lower one', async () => {
    const { place, calls } = await sixDocuments({ budget: { usd: 5 } });
    await place.aieval('run', 'manifest.json', '--max-cost', String(3 * ANSWER_USD));
    const asked = calls();
    expect(await place.aieval('run', 'manifest.json')).toMatchObject({ exitCode: 6 });
    expect(calls()).toBe(asked);
  });

  test('is untouched by a run that is refused because somebody paused it', async () => {
    const { place } = await sixDocuments();
    await place.aieval('run', 'manifest.json', '--max-cost', String(3 * ANSWER_USD));
    await place.aieval('pause');
    expect(await place.aieval('run', 'manifest.json', '--max-cost', '9')).toMatchObject({ exitCode: 7 });
    expect(await limitOf(place)).toBe(3 * ANSWER_USD);
  });

  test('is changed by another start for those at work, too: both say so', async () => {
    const server = await gatedServer(0);
    undo.push(server.close);
    const place = project({ files: { 'manifest.json': manifest(server.baseUrl), ...documents(6) } });
    undo.push(place.remove);
    const begin = (bound: string) => {
      const child = start(['run', 'manifest.json', '--max-cost', bound, '--display', 'plain'], { cwd: place.dir });
      undo.push(() => void child.kill('SIGKILL'));
      return ended(child);
    };
    const first = begin('2');
    await until(() => server.requests.length > 0);
    const second = begin('3');
    await until(async () => (await limitOf(place)) === 3);
    server.open();
    expect((await first).stderr).toContain('WARN another start changed budget.usd of this run from $2.00 to $3.00');
    expect((await second).stderr).toMatch(/note: others work on run r-\w+: its bound was \$2\.00, and is \$3\.00 for all of them now\n/);
  });
});
