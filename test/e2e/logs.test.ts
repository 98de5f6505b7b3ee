import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BINARY, ended, start } from '../cli/binary.ts';
import { gatedServer, until } from './gated-server.ts';
import { documents, manifest, type Project, project } from './project.ts';

const QUICKSTART = fileURLToPath(new URL('../../fixtures/quickstart', import.meta.url));

let sample: Project;

beforeAll(async () => {
  sample = project();
  cpSync(QUICKSTART, sample.dir, { recursive: true });
  await sample.aieval('run', 'manifest.json', '-q');
}, 60_000);
afterAll(() => sample.remove());

const lines = (text: string): string[] => text.split('\n').slice(0, -1);
const records = (text: string): Record<string, unknown>[] => lines(text).map((line) => JSON.parse(line));

describe('logs', () => {
  test('tells what happened, oldest first, one line each, from the start of the run to its end', async () => {
    const { exitCode, stdout, stderr } = await sample.aieval('logs');
    expect([exitCode, stderr]).toEqual([0, '']);
    const told = lines(stdout);
    expect(told[0]).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d INFO run r-\w+ started name=quickstart$/);
    expect(told.at(-1)).toMatch(/ INFO run r-\w+ finished verdict=pass pass=15 fail=4 review=0 error=1$/);
    expect(told.filter((line) => / PASS /.test(line))).toHaveLength(15);
    expect(told.filter((line) => / FAIL /.test(line))).toHaveLength(4);
    expect(told.find((line) => / FAIL .*uart/.test(line))).toMatch(/ check="quotes: 1 of 4 quotes rejected: .*" job=[a-z2-7]{8}$/);
    expect(told.find((line) => / DLQ /.test(line))).toMatch(/ reason=refused message=".*" job=[a-z2-7]{8}$/);
    expect(told.find((line) => line.includes('asked again'))).toContain('reason=invalid_answer');
    const stamps = told.map((line) => line.slice(0, 19));
    expect(stamps).toEqual([...stamps].sort());
  });

  test('--json gives JSON Lines; --failed only what went wrong', async () => {
    const { stdout } = await sample.aieval('logs', '--failed', '--json');
    expect(records(stdout).map(({ event }) => event)).toEqual(
      expect.arrayContaining(['job.fail', 'job.fail', 'job.fail', 'job.fail', 'step.failed', 'job.dlq']),
    );
    expect(records(stdout)).toHaveLength(6);
    for (const record of records(stdout)) {
      expect(record).toMatchObject({ v: 1, ts: expect.stringMatching(/Z$/), run: expect.stringMatching(/^r-/), jobId: expect.any(String) });
    }
  });

  test('--job names jobs as show does, more than one; one that is not there is refused', async () => {
    const [first, second] = ['documents/uart-registers.md:ambiguity:careful', 'documents/uart-registers.md:ambiguity:hasty'];
    const { stdout } = await sample.aieval('logs', '--job', first, '--job', second, '--json');
    expect(records(stdout).map(({ job, event }) => [job, event])).toEqual([
      [first, 'job.pass'],
      [second, 'job.pass'],
    ]);
    expect((await sample.aieval('logs', '--job', 'none:none:none')).exitCode).toBe(2);
  });

  test('of what there is nothing it says so, and that is no failure', async () => {
    const { exitCode, stdout, stderr } = await sample.aieval('logs', '--failed', '--since', '2099-01-01T00:00Z');
    expect([exitCode, stdout]).toEqual([0, '']);
    expect(stderr).toMatch(/^Nothing went wrong in run r-\w+ since 2099-01-01/);
  });

  test('a reader that has seen enough ends it without complaint', () => {
    const { PATH = '' } = process.env;
    const line = `"${process.execPath}" "${BINARY}" logs | head -n 1; echo "\${PIPESTATUS[0]}"`;
    const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', line], { cwd: sample.dir, env: { PATH }, encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^.* INFO run r-\w+ started name=quickstart\n0\n$/);
  });

  test('--follow tells what another process does as it does it, and ends with the run', async () => {
    const live = project({
      files: {
        ...documents(4),
        'manifest.json': manifest('', {
          providers: { lab: { type: 'simulated', latencyMs: 300, limits: { concurrency: 1 } } },
          models: { small: { provider: 'lab', model: 'small', price: 'free', params: { maxOutputTokens: 100 } } },
        }),
      },
    });
    try {
      const run = start(['run', 'manifest.json', '--json'], { cwd: live.dir });
      const worked = ended(run);
      await new Promise<void>((resolve) => {
        run.stdout?.on('data', (text: string) => text.includes('"run.started"') && resolve());
      });
      const followed = await live.aieval('logs', '--follow', '--json');
      expect(followed.exitCode).toBe(0);
      const events = records(followed.stdout).map(({ event }) => String(event));
      expect(events[0]).toBe('run.started');
      expect(events.at(-1)).toBe('run.finished');
      expect(events.filter((event) => event.startsWith('job.'))).toHaveLength(4);
      await worked;
    } finally {
      live.remove();
    }
  }, 60_000);

  /** Four documents at a server that answers `free` requests and holds the others back, a run of them and a follower of it. */
  async function followed(free: number) {
    const server = await gatedServer(free);
    const place = project({ files: { ...documents(4), 'manifest.json': manifest(server.baseUrl, { concurrency: 2 }) } });
    const run = start(['run', 'manifest.json', '--json'], { cwd: place.dir });
    const worked = ended(run);
    await until(() => server.requests.length === free + 2);
    const follower = start(['logs', '--follow', '--json'], { cwd: place.dir });
    let said = '';
    follower.stderr?.on('data', (text: string) => {
      said += text;
    });
    const close = async (): Promise<void> => {
      for (const child of [run, follower]) child.kill('SIGKILL');
      await server.close();
      place.remove();
    };
    return { server, place, run, worked, told: ended(follower), said: () => said, close };
  }

  const eventsOf = (text: string): string[] => records(text).map(({ event }) => String(event));

  test('--follow of a run that is cancelled ends when what was in flight has ended, and tells all of it', async () => {
    const { server, place, worked, told, close } = await followed(0);
    try {
      await place.aieval('cancel');
      server.open();
      const { exitCode, stdout } = await told;
      expect(exitCode).toBe(0);
      const events = eventsOf(stdout);
      expect(events.filter((event) => event === 'job.cancelled')).toHaveLength(2);
      expect(events.filter((event) => event === 'job.pass')).toHaveLength(2);
      expect(events.at(-1)).toBe('run.cancelled');
      expect(records(stdout).at(-1)).toMatchObject({ pass: 2 });
      await worked;
    } finally {
      await close();
    }
  }, 60_000);

  test('--follow of a run whose process died says what goes on with it, and stays: whoever goes on is followed to the end', async () => {
    const { server, place, run, worked, told, said, close } = await followed(1);
    try {
      run.kill('SIGKILL');
      await worked;
      await until(() => said().includes('it goes on with'));
      expect(said()).toMatch(/^note: nobody works on run r-\w+ now; it goes on with: aieval run manifest\.json\n$/);
      server.open();
      expect((await place.aieval('run', 'manifest.json')).exitCode).toBe(0);
      const { exitCode, stdout } = await told;
      expect(exitCode).toBe(0);
      expect(eventsOf(stdout).filter((event) => event === 'job.pass')).toHaveLength(4);
      expect(eventsOf(stdout).at(-1)).toBe('run.finished');
    } finally {
      await close();
    }
  }, 90_000);
});
