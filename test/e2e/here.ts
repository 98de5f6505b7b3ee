import { main } from '../../src/cli/main.ts';
import { FakeStream, fakeIo } from '../cli/fake-io.ts';
import { lastRecord, type Project } from './project.ts';

/**
 * Runs a command line in this process, which costs no start of Node: for commands that only look at the store or change its state. The
 * clock is the real one, because others work on the same store.
 */
export async function here({ dir }: Project, ...args: string[]): Promise<{ exitCode: number; stdout: string; stderr: string }> {
  const [stdout, stderr] = [new FakeStream(), new FakeStream()];
  const exitCode = await main(args, { ...fakeIo({ cwd: dir, stdout, stderr }), now: Date.now });
  return { exitCode, stdout: stdout.text, stderr: stderr.text };
}

/** The same with `--json`, and the object that it printed. */
export async function hereJson(place: Project, ...args: string[]): Promise<Record<string, unknown>> {
  return lastRecord((await here(place, ...args, '--json')).stdout);
}
