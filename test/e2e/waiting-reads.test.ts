import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ended, start } from '../cli/binary.ts';
import { BreakingProxy } from '../store/postgres/proxy.ts';
import { schemaUrl } from '../store/postgres/server.ts';
import { until } from './gated-server.ts';
import { documents, manifest, type Project, project } from './project.ts';

const SCHEMA = `reads_${process.pid}`;
const TEST = { timeout: 120_000 };

let place: Project;
let proxy: BreakingProxy;
let location: string;
let env: Readonly<Record<string, string>>;

beforeEach(async () => {
  const url = new URL(await schemaUrl(SCHEMA));
  proxy = new BreakingProxy(url);
  location = await proxy.location(url);
  place = project({ files: { ...documents(1), 'manifest.json': manifest('http://127.0.0.1:1/v1') } });
  env = { AIEVAL_STORE: location, XDG_STATE_HOME: join(place.dir, 'state') };
});
afterEach(async () => {
  await proxy.close();
  place.remove();
});

const READS = ['status', 'plan manifest.json', 'doctor', 'store copy URL x.db --dry-run'];

test('every read says that it waits for a server that says nothing, before it gives up', TEST, async () => {
  proxy.become('stalled');
  await Promise.all(
    READS.map(async (line) => {
      const args = line.split(' ').map((word) => (word === 'URL' ? location : word));
      const { exitCode, stdout, stderr } = await ended(start(args, { cwd: place.dir, env }));
      const [first, ...rest] = stderr.split('\n');
      expect([line, first]).toEqual([
        line,
        expect.stringMatching(/^warning: postgres:\/\/127.* does not answer \(no connection yet\); waiting for it, for at most 10 s$/),
      ]);
      expect([exitCode, stdout + rest.join('\n')]).toEqual([8, expect.stringContaining('does not answer')]);
      expect(stderr.split('waiting for it').length).toBe(2);
    }),
  );
});

test(
  'a read waits for one connection no longer than half of its time: what was begun while the way was broken hears nothing',
  TEST,
  async () => {
    proxy.become('stalled');
    const begunAtMs = performance.now();
    expect((await ended(start(['status'], { cwd: place.dir, env }))).exitCode).toBe(8);
    // Two of them, each of ten seconds, took twenty.
    expect(performance.now() - begunAtMs).toBeLessThan(18_000);
  },
);

test('a read goes on when the server is there again, and says so', TEST, async () => {
  proxy.become('cut');
  const child = start(['status'], { cwd: place.dir, env });
  let told = '';
  child.stderr?.on('data', (text: string) => {
    told += text;
  });
  const end = ended(child);
  await until(() => told.includes('waiting for it, for at most 10 s'));
  proxy.become('open');
  const { exitCode, stderr } = await end;
  expect([exitCode, stderr]).toEqual([
    2,
    expect.stringMatching(/^warning: .* does not answer .*\nwarning: .* can be used again, after .*\nerror\[E30\]: /),
  ]);
});
