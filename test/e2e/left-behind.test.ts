import { afterEach, describe, expect, test, vi } from 'vitest';
import { ended, start } from '../cli/binary.ts';
import type { ScriptedServer } from '../providers/scripted-server.ts';
import { gatedServer, until } from './gated-server.ts';
import { documents, lastRecord, manifest, type Project, project } from './project.ts';

// Each test starts many processes, on a machine that may be busy.
vi.setConfig({ testTimeout: 120_000 });

const undo: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

type Scene = {
  readonly place: Project;
  readonly server: ScriptedServer & { readonly open: () => void };
  readonly kill: () => Promise<void>;
};

/** A run of three jobs whose calls are all on their way. */
async function inFlight(): Promise<Scene> {
  const server = await gatedServer(0);
  const place = project({ files: { 'manifest.json': manifest(server.baseUrl), ...documents(3) } });
  const child = start(['run', 'manifest.json', '--json'], { cwd: place.dir });
  const end = ended(child);
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await end;
  };
  undo.push(place.remove, server.close, server.open, kill);
  await until(() => server.requests.length === 3);
  return { place, server, kill };
}

async function idOf({ aieval }: Project): Promise<string> {
  const [run] = JSON.parse((await aieval('status', '--all', '--json')).stdout).runs;
  return run.id;
}

describe('a killed run', () => {
  test('that run --new leaves aside is named everywhere with the command that continues it', async () => {
    const { place, server, kill } = await inFlight();
    await kill();
    const left = await idOf(place);
    expect((await place.aieval('status')).stdout).toContain(
      ' 3 calls were in flight; they may be billed and will be asked again, at most $',
    );
    server.open();
    const newer = await place.aieval('run', 'manifest.json', '--new', '--json');
    expect(newer.stderr).toContain(`note: run ${left} (0 of 3 done) is left unfinished: aieval worker ${left}, or aieval cancel ${left}\n`);
    expect((await place.aieval('status')).stdout).toContain(`\n 1 other unfinished run: ${left} → aieval status --all\n`);
    expect((await place.aieval('status', left)).stdout).toContain(` next: aieval worker ${left}`);
    expect(await place.aieval('retry', left)).toMatchObject({
      exitCode: 5,
      stderr: `nothing to ask again: no job of ${left} is in the DLQ\nnext: aieval worker ${left}\n`,
    });
    expect((await place.aieval('worker', left)).exitCode).toBe(0);
    const { runs } = JSON.parse((await place.aieval('status', '--all', '--json')).stdout);
    expect(runs).toMatchObject([
      { id: lastRecord(newer.stdout).run, state: 'finished', verdict: 'pass', jobs: { succeeded: 3 } },
      { id: left, state: 'finished', verdict: 'pass', jobs: { succeeded: 3 } },
    ]);
    expect((await place.aieval('status')).stdout).not.toContain('unfinished');
  });

  test('that was cancelled before is ended by a second cancel, which says so', async () => {
    const { place, kill } = await inFlight();
    await place.aieval('cancel');
    await kill();
    const runId = await idOf(place);
    expect((await place.aieval('status')).stdout).toContain(` next: aieval cancel ${runId}`);
    expect(await place.aieval('cancel')).toMatchObject({
      exitCode: 0,
      stdout: `Run ${runId} was cancelled already; what a process that is gone held of it is ended.\n`,
    });
    expect((await place.aieval('status')).stdout).not.toContain(`aieval cancel ${runId}`);
    expect((await place.aieval('cancel')).stdout).toBe(`Run ${runId} is cancelled already; nothing was changed.\n`);
  });
});

test('--all is for all runs, not for one', async () => {
  const place = project();
  undo.push(place.remove);
  expect((await place.aieval('status', 'r-a', '--all')).exitCode).toBe(2);
  expect((await place.aieval('status', '--watch', '--all')).exitCode).toBe(2);
});
