import { spawn } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { aieval, BINARY, type Ended, ended } from '../cli/binary.ts';

const FOLDER = 'my review';
const LEAD = ['-C', FOLDER, '--db', "../ann's answers/x.db", '--out', '../out'];
const TYPED = "aieval -C 'my review' --db '../ann'\\''s answers/x.db' --out ../out";

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'aieval-lead-'));
  cpSync(new URL('../../fixtures/quickstart', import.meta.url), join(dir, FOLDER), { recursive: true });
  // A person has the program on the path.
  mkdirSync(join(dir, 'bin'));
  writeFileSync(join(dir, 'bin', 'aieval'), `#!/bin/sh\nexec '${process.execPath}' '${BINARY}' "$@"\n`);
  chmodSync(join(dir, 'bin', 'aieval'), 0o755);
});

afterEach(() => rmSync(dir, { recursive: true, force: true }));

function run(...args: string[]): Promise<Ended> {
  return aieval([...LEAD, ...args], { cwd: dir });
}

/** Exactly as it was printed, in the folder in which the first command was typed. */
function type(command: string): Promise<Ended> {
  const { PATH = '', HOME = '' } = process.env;
  const env = { PATH: `${join(dir, 'bin')}:${PATH}`, HOME };
  return ended(spawn('sh', ['-c', command], { cwd: dir, env, stdio: ['ignore', 'pipe', 'pipe'] }));
}

/** What stands behind an arrow, `next:` or `more:`, each command alone. */
function commandsIn({ stdout, stderr }: Ended): string[] {
  const hints = [...`${stdout}\n${stderr}`.matchAll(/(?:→|next:|more:) (.*)$/gm)].flatMap(([, hint = '']) => hint.split(' · '));
  return hints.flatMap((hint) => /\baieval .*$/.exec(hint)?.[0] ?? []);
}

/** The runs that the database holds. */
async function runs(): Promise<number> {
  const { stdout } = await run('status', '--all', '--json');
  return JSON.parse(stdout).runs.length;
}

describe('a printed command, typed as it stands', () => {
  test('leads to the database, the files and the folder that the command line named', { timeout: 180_000 }, async () => {
    const first = await run('run', 'manifest.json');
    expect(first.exitCode).toBe(0);
    const [failed = ''] = commandsIn(first).filter((command) => command.includes(' show '));
    const all = [
      await run('plan', 'manifest.json'),
      first,
      await run('status'),
      await type(failed),
      await run('show', 'nothing-like-this'),
      await run('status', 'r-nothing'),
      await run('validate', 'manifest.json'),
      await run('cache', 'clear'),
      await run('gc', '--keep-days', '0', '--keep-runs', '0'),
      await run('pause', 'latest'),
    ];
    const commands = [...new Set(all.flatMap(commandsIn))];
    expect(commands.map((command) => command.slice(0, TYPED.length))).toEqual(commands.map(() => TYPED));
    expect(verbs(commands)).toEqual(['cache', 'gc', 'plan', 'retry', 'run', 'show', 'status', 'summary']);
    const harmless = commands.filter((command) => !command.includes('--yes'));
    for (const command of harmless) {
      const { exitCode, stderr } = await type(command);
      expect({ command, exitCode, stderr: stderr.includes('error[') ? stderr : '' }).toEqual({ command, exitCode: 0, stderr: '' });
    }
    expect(existsSync(join(dir, FOLDER, '.aieval'))).toBe(false);
    expect(existsSync(join(dir, '.aieval'))).toBe(false);
    expect(readdirSync(join(dir, "ann's answers"))).toContain('x.db');
  });

  test('asks nothing twice: the run that it names is joined or reuses what is known', { timeout: 180_000 }, async () => {
    const plan = await run('plan', 'manifest.json');
    const [command = ''] = commandsIn(plan);
    expect(command.startsWith(`${TYPED} run manifest.json`)).toBe(true);
    await run('run', 'manifest.json');
    const again = await type(`${command} --json`);
    expect(JSON.parse(again.stdout.trimEnd().split('\n').at(-1) ?? '{}')).toMatchObject({ calls: 0 });
    expect(await runs()).toBe(2);
  });

  test('is the same in JSON, and for a line that is refused', { timeout: 180_000 }, async () => {
    const unknown = await run('status', 'r-nothing', '--json');
    expect(JSON.parse(unknown.stderr.trimEnd().split('\n').at(-1) ?? '{}')).toMatchObject({ next: [`${TYPED} run manifest.json`] });
    const refused = await run('show', '--nonsense');
    expect(refused.stderr).toContain(`next: ${TYPED} show --help\n`);
    const init = await aieval(['-C', FOLDER, 'init', 'sub', '--json'], { cwd: dir });
    expect(JSON.parse(init.stdout).next[0]).toBe("aieval -C 'my review' plan sub/manifest.json");
  });

  test('says nothing of the machine in the files of a run', { timeout: 180_000 }, async () => {
    await run('run', 'manifest.json');
    const summary = await run('summary');
    expect(summary.stdout).toContain('aieval show');
    expect(summary.stdout).not.toContain(FOLDER);
  });
});

function verbs(commands: readonly string[]): string[] {
  return [...new Set(commands.map((command) => command.slice(TYPED.length + 1).split(' ')[0] ?? ''))].sort();
}
