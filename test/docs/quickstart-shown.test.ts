import { cpSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Project, project, withoutLinks } from '../e2e/project.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const [, TRY_IT = ''] = /^## Try it$(.*?)^## /ms.exec(readFileSync(`${ROOT}README.md`, 'utf8')) ?? [];

let place: Project;
beforeEach(() => {
  place = project();
  cpSync(`${ROOT}fixtures/quickstart`, place.dir, { recursive: true });
});
afterEach(() => place.remove());

/** Of a line that the README shows: ids and seconds differ from run to run, and `…` stands for what it leaves out. */
function patternOf(line: string): RegExp {
  const literal = line.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(
    literal
      .replaceAll('…', '.*')
      .replace(/r-[a-z0-9]{8}/g, 'r-\\w{8}')
      .replace(/\d+\\\.\d s/g, '[\\d.]+ s'),
  );
}

test('the README shows the quickstart as it ends, and the summary that it leaves', { timeout: 60_000 }, async () => {
  const { exitCode, stderr } = await place.aieval('run', 'manifest.json');
  expect(exitCode).toBe(0);
  const [, footer = ''] = /```text\n(.*?)```/s.exec(TRY_IT) ?? [];
  for (const line of footer.trimEnd().split('\n')) expect(stderr).toMatch(patternOf(line));

  const summary = withoutLinks((await place.aieval('summary')).stdout);
  const shown = [...TRY_IT.matchAll(/^> (.+)$/gm)].map(([, line = '']) => line);
  expect(shown.length).toBeGreaterThan(5);
  for (const line of shown) expect(summary).toContain(line);
});

test('with the stricter gate that the README names the same answers end with exit code 3', { timeout: 60_000 }, async () => {
  const [, gate = ''] = /`"gate": (\{.*?\})`/.exec(TRY_IT) ?? [];
  place.write('manifest.json', JSON.stringify({ ...JSON.parse(place.read('manifest.json')), gate: JSON.parse(gate) }));
  expect((await place.aieval('run', 'manifest.json')).exitCode).toBe(3);
});
