import { expect, test } from 'vitest';
import { DOCUMENT, expectError, folder, manifestText, nextCommands } from './case.ts';

test('E00: an unknown command or option is told with what was meant, and the next command is its help', async () => {
  const place = folder();
  await expectError(place, ['rnu'], {
    exitCode: 2,
    lines: ["error[E00]: unknown command 'rnu'. Did you mean run?", 'next: aieval --help'],
  });
  const line = ['run', 'm.json', '--max-cst', '3'];
  await expectError(place, line, {
    exitCode: 2,
    lines: ["error[E00]: unknown option '--max-cst'. Did you mean --max-cost?", 'next: aieval run --help'],
  });
  const [help = []] = nextCommands(await place.aieval(...line));
  expect(await place.aieval(...help)).toMatchObject({ exitCode: 0, stderr: '' });
});

test('E30: where no run was started, with the command that starts one', async () => {
  await expectError(folder(), ['status'], {
    exitCode: 2,
    lines: [
      'error[E30]: no .aieval folder in <dir> or above it',
      'next: aieval run manifest.json',
      'next: aieval -C <folder of the manifest> status',
      'next: with --store URL, or AIEVAL_STORE, where the runs are kept on a server',
    ],
  });
});

test('E31 and E32: a run and a job that nobody knows name the closest, and their next commands run', async () => {
  const place = folder({ files: { 'manifest.json': manifestText(), ...DOCUMENT } });
  expect((await place.aieval('run', 'manifest.json')).exitCode).toBe(0);
  const run = JSON.parse((await place.aieval('status', '--json')).stdout).run.id;
  await expectError(place, ['status', 'nope'], {
    exitCode: 2,
    lines: [`error[E31]: no run is called "nope". Closest: ${run}`, `next: aieval status ${run}`],
  });
  await expectError(place, ['show', 'zzz'], {
    exitCode: 2,
    lines: [`error[E32]: run ${run} has no job "zzz". Closest: docs/01.md:ask:small`, `next: aieval export ${run} --format csv`],
  });
  for (const args of [
    ['status', 'nope'],
    ['show', 'zzz'],
  ]) {
    const [next = []] = nextCommands(await place.aieval(...args));
    expect((await place.aieval(...next)).exitCode).toBe(0);
  }
});

test('E34: init overwrites nothing', async () => {
  const place = folder({ files: { 'manifest.json': '{}' } });
  const { exitCode, stderr } = await place.aieval('init');
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(
    /^error\[E34\]: manifest\.json exists already; nothing was written\nnext: aieval init <another folder>\nnext: aieval init \. --force\n$/,
  );
  expect(place.read('manifest.json')).toBe('{}');
});

test('E36: what removes something asks first, and where nobody can be asked its next command says yes', async () => {
  const place = folder({ files: { 'manifest.json': manifestText(), ...DOCUMENT } });
  expect((await place.aieval('run', 'manifest.json')).exitCode).toBe(0);
  const refused = await place.aieval('cache', 'clear');
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toMatch(/^error\[E36\]: .*nothing was .*\nnext: aieval cache clear.* --yes\n/);
  const [next = []] = nextCommands(refused);
  expect((await place.aieval(...next)).exitCode).toBe(0);
});
