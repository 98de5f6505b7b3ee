import { cpSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Project, project } from '../../e2e/project.ts';
import { aieval } from '../binary.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** The program as a build leaves it that stopped before the page of the report. */
let unbuilt: Project;
let place: Project;
beforeAll(() => {
  unbuilt = project();
  for (const part of ['bin', 'dist', 'package.json']) cpSync(join(ROOT, part), join(unbuilt.dir, part), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(unbuilt.dir, 'node_modules'));
  rmSync(join(unbuilt.dir, 'dist/report/page'), { recursive: true });
  place = project();
  cpSync(join(ROOT, 'fixtures/quickstart'), place.dir, { recursive: true });
});
afterAll(() => {
  unbuilt.remove();
  place.remove();
});

const run = (...args: string[]) => aieval(args, { cwd: place.dir, binary: join(unbuilt.dir, 'bin/aieval.js') });

test('without the built page a run ends as it should, and says that its report is not written', async () => {
  const manifest = JSON.parse(place.read('manifest.json'));
  place.write('manifest.json', JSON.stringify({ ...manifest, outputs: ['html', 'csv'] }));
  const { exitCode, stderr } = await run('run', 'manifest.json');
  expect(exitCode).toBe(0);
  expect(stderr).toContain('report.html: not written: aieval is not built in full: page.js of the report is missing');
});

test('without the built page a report is E25, which says how to build it, and leaves nothing', async () => {
  mkdirSync(join(place.dir, 'out'));
  expect(await run('report', '-o', 'out/r.html')).toEqual({
    exitCode: 70,
    stdout: '',
    stderr: 'error[E25]: aieval is not built in full: page.js of the report is missing\nnext: npm run build\n',
  });
  expect(() => place.read('out/r.html')).toThrow('ENOENT');
});
