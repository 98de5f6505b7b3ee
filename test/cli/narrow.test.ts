import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runProgram } from '../../src/cli/program.ts';
import { BINARY } from './binary.ts';
import { FakeStream, fakeIo } from './fake-io.ts';

const COLUMNS = 60;

let dir = '';
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'aieval-narrow-'));
  const tasks = { claims: { prompt: '{{document}}\n\nList the claims.', checks: [] } };
  const manifest = {
    version: 1,
    documents: ['*.md'],
    providers: { sim: { type: 'simulated' } },
    models: { m: { provider: 'sim', model: 'm' } },
    tasks,
  };
  writeFileSync(join(dir, 'manifest.json'), JSON.stringify(manifest));
  writeFileSync(join(dir, 'a.md'), '# A\n\nThe pump shall stop.\n');
  writeFileSync(join(dir, 'empty.md'), '');
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

async function shown(...args: string[]): Promise<string[]> {
  const io = fakeIo({ cwd: dir, stdout: new FakeStream(COLUMNS) });
  await runProgram(args, io);
  return io.stdout.lines;
}

/** The binary takes its stdout for such a terminal; its threads need the built files. */
function printed(...args: string[]): string[] {
  const terminal = `data:text/javascript,process.stdout.isTTY=true;process.stdout.columns=${COLUMNS}`;
  return spawnSync(process.execPath, ['--import', terminal, BINARY, ...args], { cwd: dir, encoding: 'utf8' }).stdout.split('\n');
}

describe('on a terminal of 60 columns', () => {
  test.each([[[]], [['run']], [['plan']], [['export']]])('the options in the help of %j break between words', async (command) => {
    const text = (await shown(...command, '--help')).join('\n');
    const options = [...text.matchAll(/^(?:Global )?Options:\n(.*?)\n(?:\n|$)/gms)].flatMap(([, block = '']) => block.split('\n'));
    expect(options.length).toBeGreaterThan(20);
    expect(options.filter((line) => line.length > COLUMNS)).toEqual([]);
  });

  test('the warnings and notes of a plan break between words, and its commands not at all', () => {
    const lines = printed('plan', 'manifest.json', '--no-color');
    expect(lines.join('\n')).toMatch(/^warning: /m);
    expect(lines.filter((line) => line.length > COLUMNS && !/^ *next: /.test(line))).toEqual([]);
  });
});
