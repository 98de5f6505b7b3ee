import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import { BINARY } from '../cli/binary.ts';
import { documents, manifest, type Project, project } from './project.ts';

const HIDE = '\u001b[?25l';
const SHOW = '\u001b[?25h';
const CLEARS_ALL = ['\u001b[2J', '\u001b[3J', '\u001bc'];

/** A terminal of its own comes with util-linux; without it there is nothing to try. */
const hasScript = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0;

let live: Project | null = null;
afterEach(() => live?.remove());

type Shown = { readonly exitCode: number | null; readonly text: string };

/** Runs the real program on a terminal of 80 columns; The first of `signals` is sent once two calls are in flight, the second when it says that it stops. */
async function onTerminal(latencyMs: number, signals: readonly NodeJS.Signals[], nodeArguments = ''): Promise<Shown> {
  const provider = { type: 'simulated', latencyMs, limits: { concurrency: 2 } };
  const model = { provider: 'lab', model: 'small', price: 'free', params: { maxOutputTokens: 100 } };
  const made = project({
    files: { ...documents(6), 'manifest.json': manifest('', { providers: { lab: provider }, models: { small: model } }) },
  });
  live = made;
  const pidFile = join(made.dir, 'pid');
  const command = `stty cols 80 rows 24; echo $$ > '${pidFile}'; exec '${process.execPath}' ${nodeArguments} '${BINARY}' run manifest.json`;
  const { PATH = '', HOME = '' } = process.env;
  const env = { PATH, HOME, TERM: 'xterm-256color', SHELL: '/bin/sh', TMPDIR: made.dir };
  const child = spawn('script', ['-qfec', command, '/dev/null'], { cwd: made.dir, env, stdio: ['ignore', 'pipe', 'ignore'] });
  let text = '';
  const left = [...signals];
  const send = (): void => {
    const signal = left.shift();
    if (signal === undefined) return;
    process.kill(Number(readFileSync(pidFile, 'utf8')), signal);
  };
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const before = text;
    text += chunk;
    if (text.includes('running 2') && !before.includes('running 2')) send();
    if (text.includes('Stopping:') && !before.includes('Stopping:')) send();
  });
  const exitCode = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { exitCode, text };
}

/** The cursor was taken, and given back last; nothing cleared the whole screen. */
function expectGivenBack({ text }: Shown): void {
  expect(text).toContain(HIDE);
  expect(text.lastIndexOf(SHOW)).toBeGreaterThan(text.lastIndexOf(HIDE));
  for (const clear of CLEARS_ALL) expect(text).not.toContain(clear);
}

describe.runIf(hasScript)('a run on a terminal', () => {
  test('draws a panel and gives the terminal back at its end', async () => {
    const shown = await onTerminal(200, []);
    expect(shown.text).toMatch(/aieval \d\S* · e2e · run r-\w+ · 6 jobs/);
    expect(shown.text).toMatch(/pass \d/);
    expect(shown.text).toMatch(/Saved \.aieval\/runs/);
    expectGivenBack(shown);
  }, 60_000);

  test('a bug in the panel ends the panel, not the run: it is told once, with a report, and the terminal is given back', async () => {
    const bug = encodeURIComponent(
      `const { floor } = Math; Math.floor = (n) => { if (/at bar[T]ext/.test(new Error().stack)) throw new Error('panel'); return floor(n) };`,
    );
    const shown = await onTerminal(200, [], `--import 'data:text/javascript,${bug.replaceAll("'", '%27')}'`);
    expect(shown.exitCode).toBe(0);
    expect(shown.text).not.toContain('E99');
    expect(shown.text.match(/warning: what shows this work has a fault \(Error\).*the work goes on; report saved to/g)).toHaveLength(1);
    expect(stripVTControlCharacters(shown.text)).toMatch(/PASS {2}r-\w+/);
    expectGivenBack(shown);
  }, 60_000);

  test.each([
    ['one signal that lets calls finish', ['SIGINT'], 130, 2000],
    ['a second one that does not wait', ['SIGINT', 'SIGINT'], 130, 60_000],
    ['SIGTERM', ['SIGTERM'], 143, 2000],
    ['SIGHUP', ['SIGHUP'], 143, 2000],
  ] as const)(
    'gives it back after %s',
    async (_, signals, exitCode, latencyMs) => {
      const shown = await onTerminal(latencyMs, signals);
      expect(shown.exitCode).toBe(exitCode);
      expect(shown.text).toMatch(/Stopping: 2 calls in flight \(≤ [16]0 s\)\./);
      expectGivenBack(shown);
    },
    60_000,
  );
});
