import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadManifest } from '../../src/engine/load-manifest.ts';
import { aieval, type Ended } from './binary.ts';

const REPO = fileURLToPath(new URL('../../', import.meta.url));
const COMMANDS = [
  ...['init', 'validate', 'plan', 'run', 'worker', 'retry', 'cancel', 'pause', 'resume', 'status', 'scale', 'show', 'logs'],
  ...['summary', 'report', 'export', 'artifacts', 'extract', 'quote', 'budget', 'store', 'cache', 'gc', 'doctor', 'completion'],
];

let dir = '';
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'aieval-shell-'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const run = (...args: string[]): Promise<Ended> => aieval(args, { cwd: dir });

describe('help', () => {
  test('nothing at all prints how to begin, on stdout, and exits 0', async () => {
    const { exitCode, stdout, stderr } = await run();
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toContain('aieval run manifest.json');
    expect(stdout.split('\n').length).toBeLessThan(12);
  });

  test('--help lists every command and every exit code', async () => {
    const { exitCode, stdout, stderr } = await run('--help');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const listed = [...(stdout.split('\nCommands:\n')[1]?.split('\n\n')[0] ?? '').matchAll(/^ {2}(\w+)/gm)].map(([, name]) => name);
    expect(listed).toEqual([...COMMANDS, 'help']);
    for (const code of [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 70, 130, 143]) expect(stdout).toMatch(new RegExp(`^ +${code}  \\S`, 'm'));
  });

  test.each(COMMANDS)('%s --help describes it, with its options, the global ones and examples', async (command) => {
    const { exitCode, stdout, stderr } = await run(command, '--help');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toContain(`Usage: aieval ${command}`);
    expect(stdout).toContain('Global Options:');
    expect(stdout).toMatch(new RegExp(`Examples:\n  .*aieval ${command}`));
    expect((await run('help', command)).stdout).toBe(stdout);
  });
});

describe('usage errors', () => {
  test.each([
    [['rnu'], "unknown command 'rnu'. Did you mean run?", 'aieval --help'],
    [['rnu', '--help'], "unknown command 'rnu'. Did you mean run?", 'aieval --help'],
    [['budget', 'setle', '-h'], "unknown command 'setle'", 'aieval budget --help'],
    [['help', 'nope'], 'there is no help on that', 'aieval --help'],
    [['run'], "missing required argument 'manifest'", 'aieval run --help'],
    [['run', 'm.json', '--exit-zeor'], "unknown option '--exit-zeor'. Did you mean --exit-zero?", 'aieval run --help'],
    [['run', 'm.json', 'n.json'], 'too many arguments', 'aieval run --help'],
    [['run', 'm.json', '--concurrency', '0'], 'Expected an integer from 1 to 9999', 'aieval run --help'],
    [['retry', '--reason', 'tmeout'], 'Did you mean timeout?', 'aieval retry --help'],
    [['retry', '--reason', 'nope'], 'The reasons are document_unreadable, ', 'aieval retry --help'],
    [['budget', 'settle-unknown', '--at', 'most'], 'Allowed choices are worst, expected, zero', 'aieval budget settle-unknown --help'],
    [['budget', 'setle'], "unknown command 'setle'", 'aieval budget --help'],
    [['budget'], 'aieval budget needs a command: show, reset, settle-unknown', 'aieval budget --help'],
    [['show', 'run', '--rwa'], "unknown option '--rwa'. Did you mean --raw?", 'aieval show --help'],
    [['worker', 'r-8kq2', '--exit-when-idle'], '--exit-when-idle is for a worker of all runs', 'aieval worker r-8kq2'],
    [['status', '-i', 'soon'], 'Expected a number above 0', 'aieval status --help'],
    [['summary', '--format', 'pdf'], 'Allowed choices are md, txt, json', 'aieval summary --help'],
    [['status', '--display', 'rich'], 'Allowed choices are full, plain, none', 'aieval --help'],
    [['-C', 'nowhere', 'status'], 'nowhere is not a folder', 'aieval --help'],
  ])('%j exits 2 and names the command that helps', async (args, message, next) => {
    const { exitCode, stdout, stderr } = await run(...args);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(/^error\[E00\]: /);
    expect(stderr).toContain(message);
    expect(stderr).toContain(`next: ${next}\n`);
  });

  test.each([['run'], ['plan'], ['validate']])('%s without a manifest names that of the folder', async (command) => {
    mkdirSync(join(dir, 'jobs'), { recursive: true });
    writeFileSync(join(dir, 'jobs/manifest.yaml'), '');
    const { exitCode, stderr } = await run('-C', 'jobs', command);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`next: aieval -C jobs ${command} manifest.yaml\n`)]);
  });

  test('with --json the last line of stderr is the error as an object', async () => {
    const { exitCode, stdout, stderr } = await run('run', '--json');
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    const record: unknown = JSON.parse(stderr.trim().split('\n').at(-1) ?? '');
    expect(record).toMatchObject({ v: 1, event: 'error', code: 'E00', exitCode: 2, next: ['aieval run --help'] });
  });

  test.each([['status'], ['show', 'j3f9'], ['summary'], ['cancel'], ['retry']])(
    '%s without any state says how to get one',
    async (...args) => {
      const { exitCode, stdout, stderr } = await run(...args);
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
      expect(stderr).toContain(`error[E30]: no .aieval folder in ${dir} or above it\nnext: aieval run manifest.json\n`);
      expect(readdirSync(dir)).not.toContain('.aieval');
    },
  );
});

describe('colour', () => {
  test('NO_COLOR beats FORCE_COLOR, without a warning from Node', async () => {
    const coloured = await aieval(['rnu'], { cwd: dir, env: { FORCE_COLOR: '1' } });
    expect(coloured.stderr).toContain('\u001b[31merror[E00]:\u001b[39m');
    const plain = await aieval(['rnu'], { cwd: dir, env: { FORCE_COLOR: '1', NO_COLOR: '1' } });
    expect(plain.stderr).toBe("error[E00]: unknown command 'rnu'. Did you mean run?\nnext: aieval --help\n");
  });
});

describe('a broken installation', () => {
  function copy(name: string, ...parts: string[]): string {
    const to = join(dir, name);
    mkdirSync(to);
    for (const part of ['bin', 'package.json', ...parts]) cpSync(join(REPO, part), join(to, part), { recursive: true });
    return to;
  }

  test('without dist it says how to build', async () => {
    const copied = copy('no-dist');
    expect(await aieval(['--version'], { cwd: dir, binary: join(copied, 'bin/aieval.js') })).toEqual({
      exitCode: 70,
      stdout: '',
      stderr: 'error: aieval is not built.\nnext: npm run build\n',
    });
  });

  test('without node_modules it says how to install', async () => {
    const copied = copy('no-modules', 'dist');
    const { exitCode, stderr } = await aieval(['--help'], { cwd: dir, binary: join(copied, 'bin/aieval.js') });
    expect(exitCode).toBe(70);
    expect(stderr).toMatch(/^error: aieval is not fully installed: Cannot find package 'commander'.*\nnext: npm ci\n$/);
  });

  test('an old Node is refused before anything is loaded', async () => {
    const pretend = "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.19.1' } })";
    const nodeArguments = ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`];
    const { exitCode, stderr } = await aieval(['--version'], { cwd: dir, nodeArguments });
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^error\[E25\]: aieval needs Node >= 20\.19, this is 18\.19\.1\nnext: /);
  });

  test.each(["throw new Error('out of the blue')", "Promise.reject(new Error('out of the blue'))"])(
    'an error that nobody catches is a bug, not a failed gate: %s',
    async (failure) => {
      const whenWatched = `const { on } = process; process.on = function (event, ...rest) {
        if (event === 'uncaughtException') process.nextTick(() => { ${failure} });
        return on.call(this, event, ...rest);
      }`;
      const nodeArguments = ['--import', `data:text/javascript,${encodeURIComponent(whenWatched)}`];
      // A command that waits for the disk: one that ends within the same turn would be gone before the failure is known.
      const { exitCode, stderr } = await aieval(['validate', 'none.json'], { cwd: dir, nodeArguments });
      expect(stderr).toMatch(/^error\[E99\]: Error: out of the blue\n {4}at .*\nnext: please report this/s);
      expect(exitCode).toBe(70);
    },
  );

  test('without the native part of the database driver it names the command that mends it', async () => {
    const copied = copy('no-native', 'dist');
    const modules = join(copied, 'node_modules');
    mkdirSync(modules);
    for (const name of readdirSync(join(REPO, 'node_modules'))) {
      if (name !== 'better-sqlite3') symlinkSync(join(REPO, 'node_modules', name), join(modules, name));
    }
    const driver = join(REPO, 'node_modules/better-sqlite3');
    cpSync(driver, join(modules, 'better-sqlite3'), { recursive: true, filter: (path) => !/better-sqlite3.(build|deps|src)\b/.test(path) });
    const { exitCode, stderr } = await aieval(['status', '--db', join(REPO, 'package.json')], {
      cwd: dir,
      binary: join(copied, 'bin/aieval.js'),
    });
    expect(stderr).toBe(
      'error[E25]: better-sqlite3 was installed without its native part (npm install scripts are blocked)\n' +
        `next: npm rebuild better-sqlite3 --ignore-scripts=false --prefix ${realpathSync(copied)}\n`,
    );
    expect(exitCode).toBe(8);
  });
});

describe('init and validate', () => {
  test('init writes an example that validates, and never overwrites', async () => {
    const { exitCode, stdout } = await run('init', 'example', '--json');
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ v: 1, created: expect.arrayContaining([join('example', 'manifest.json')]) });
    const manifest = readFileSync(join(dir, 'example/manifest.json'), 'utf8');
    expect(await run('validate', 'example/manifest.json')).toEqual({
      exitCode: 0,
      stdout:
        'manifest.json is valid: 1 task, 1 model; 1 document, not opened: aieval plan reads it\nnext: aieval plan example/manifest.json\n',
      stderr: '',
    });
    const again = await run('init', 'example');
    expect(again.exitCode).toBe(2);
    expect(again.stderr).toMatch(/^error\[E34\]: example\/manifest\.json, .* exist already; nothing was written\n/);
    expect(readFileSync(join(dir, 'example/manifest.json'), 'utf8')).toBe(manifest);
  });

  test.each([[[]], [['--example']]])(
    "init's manifest names the schema among the project's packages, and none where it is not there %j",
    async (more) => {
      const schemaOf = (folder: string): unknown => JSON.parse(readFileSync(join(dir, folder, 'manifest.json'), 'utf8')).$schema;
      await run('init', 'anywhere', ...more);
      expect(schemaOf('anywhere')).toBeUndefined();
      const own = join(dir, 'project/node_modules/aieval/schema/manifest-1.json');
      mkdirSync(dirname(own), { recursive: true });
      writeFileSync(own, '{}');
      await run('init', 'project', ...more);
      expect(schemaOf('project')).toBe('./node_modules/aieval/schema/manifest-1.json');
    },
  );

  test('init says how to go on with a key and without: its line for a local server goes into the manifest as it is', async () => {
    const { stdout } = await run('init', 'local');
    expect(stdout).toContain('\n  export OPENAI_API_KEY=…\n');
    expect(stdout).toContain('then: aieval run local/manifest.json\n');
    expect(stdout).toContain('"price": "free"');
    const line = /^ +("providers": .*)$/m.exec(stdout)?.[1] ?? '';
    const path = join(dir, 'local/manifest.json');
    writeFileSync(path, readFileSync(path, 'utf8').replace('"version": 1,', `"version": 1,\n  ${line}`));
    const { manifest } = await loadManifest('manifest.json', { cwd: join(dir, 'local') });
    expect(manifest.providers.openai).toMatchObject({ type: 'openai', baseUrl: 'http://127.0.0.1:8000/v1', apiKeyEnv: null });
  });

  test('plan --list names a repeat as show takes it', async () => {
    await run('init', 'repeats');
    const path = join(dir, 'repeats/manifest.json');
    writeFileSync(path, readFileSync(path, 'utf8').replace('"prompt":', '"repeats": 2, "prompt":'));
    const { stdout } = await run('plan', 'repeats/manifest.json', '--list');
    expect([...stdout.matchAll(/\tspecs\/sensor-link\.md:(\S+)\t/g)].map(([, name]) => name)).toEqual(['review:fast#1', 'review:fast#2']);
  });

  test('validate lists every problem, one a line, with its place and code', async () => {
    writeFileSync(join(dir, 'bad.json'), '{\n  "version": 1,\n  "documnets": ["*.md"],\n  "models": {},\n  "tasks": {}\n}\n');
    const { exitCode, stdout, stderr } = await run('validate', 'bad.json');
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(/^error\[E04\]: bad\.json:3:3: unknown key "documnets"/m);
    expect(stderr).toMatch(/^\d+ problems\n$/m);
    const json = await run('validate', 'bad.json', '--json');
    expect({ exitCode: json.exitCode, stderr: json.stderr }).toEqual({ exitCode: 2, stderr: '' });
    expect(JSON.parse(json.stdout)).toMatchObject({
      v: 1,
      ok: false,
      problems: expect.arrayContaining([expect.objectContaining({ code: 'E04', file: 'bad.json', line: 3, column: 3, col: 3 })]),
    });
  });

  test('a manifest that is not there, and documents that match nothing, are problems like others', async () => {
    const missing = await run('validate', 'nowhere.json', '--json');
    expect(missing.exitCode).toBe(2);
    expect(JSON.parse(missing.stdout)).toMatchObject({ ok: false, problems: [{ code: 'E01', line: null }] });
    await run('init', 'empty');
    rmSync(join(dir, 'empty/specs'), { recursive: true });
    const unmatched = await run('-C', 'empty', 'validate', 'manifest.json');
    expect(unmatched.exitCode).toBe(2);
    expect(unmatched.stderr).toMatch(/^error\[E03\]: manifest\.json:\d+:\d+: documents\[0\] /);
  });
});
