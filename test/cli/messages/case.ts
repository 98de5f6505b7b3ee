import { chmodSync, realpathSync, rmSync } from 'node:fs';
import { afterEach, expect } from 'vitest';
import { type Project, type ProjectOptions, project } from '../../e2e/project.ts';
import type { Ended } from '../binary.ts';

const places: Project[] = [];
afterEach(() => {
  for (const { dir } of places.splice(0)) {
    chmodSync(dir, 0o755);
    rmSync(dir, { recursive: true, force: true });
  }
});

/** A folder that is gone after the test. */
export function folder(options: ProjectOptions = {}): Project {
  const made = project(options);
  places.push(made);
  return made;
}

/** One document. */
export const DOCUMENT = { 'docs/01.md': '# Part 01\n\nDevice 01 shall answer within 5 ms.\n' };

/** A manifest that needs nobody; parts may be replaced. */
export function manifestText(parts: object = {}): string {
  const value = {
    version: 1,
    name: 'm',
    documents: ['docs/*.md'],
    providers: { sim: { type: 'simulated' } },
    models: { small: { provider: 'sim', model: 'small' } },
    tasks: { ask: { prompt: '{{document}}\n\nWhat?', output: { format: 'text' }, checks: [] } },
    ...parts,
  };
  return JSON.stringify(value, null, 2);
}

/** The same with an endpoint. */
export function endpointText(baseUrl: string, parts: object = {}, provider: object = {}): string {
  return manifestText({
    providers: { lab: { type: 'openai', baseUrl, ...provider } },
    models: { fast: { provider: 'lab', model: 'fast', price: { inputPerMTok: 1, outputPerMTok: 2 } } },
    ...parts,
  });
}

const FIRST_USE = /^(?:Runs and answers|Files of runs) are kept in .*\n/;

/** What was told, with the folder's path as `<dir>`, and without the line of the first use. */
export function told({ stderr }: Ended, { dir }: Project): string {
  return stderr.replace(FIRST_USE, '').replaceAll(realpathSync(dir), '<dir>').replaceAll(dir, '<dir>');
}

/** Runs it, expects the whole of stderr and the exit code; and with `--json` the same as the last line. */
export async function expectError(
  place: Project,
  args: readonly string[],
  { exitCode, lines }: { readonly exitCode: number; readonly lines: readonly string[] },
): Promise<void> {
  const plain = await place.aieval(...args);
  expect({ exitCode: plain.exitCode, stderr: told(plain, place) }).toEqual({ exitCode, stderr: `${lines.join('\n')}\n` });
  const json = await place.aieval(...args, '--json');
  const [, code = ''] = /^error\[(E\d\d)\]/.exec(lines[0] ?? '') ?? [];
  expect(JSON.parse(told(json, place).trimEnd().split('\n').at(-1) ?? '')).toMatchObject({ v: 1, event: 'error', code, exitCode });
  expect(json.exitCode).toBe(exitCode);
}

/** The commands behind `next:`, as words. */
export function nextCommands({ stderr }: Ended): string[][] {
  return [...stderr.matchAll(/^next: aieval (.+)$/gm)].map(([, line = '']) => line.split(' '));
}
