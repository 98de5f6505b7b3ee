import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Project, project } from '../e2e/project.ts';

const QUICKSTART = fileURLToPath(new URL('../../fixtures/quickstart', import.meta.url));

/** A folder of its own with the quickstart, and a run of it; `parts` are put over its manifest. */
export async function quickstartRun(
  parts: object = {},
): Promise<{ readonly place: Project; readonly runId: string; readonly outDir: string }> {
  const place = project();
  cpSync(QUICKSTART, join(place.dir, 'quickstart'), { recursive: true });
  const path = join(place.dir, 'quickstart', 'manifest.json');
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...parts }));
  const { exitCode, stderr } = await place.aieval('run', 'quickstart/manifest.json');
  if (exitCode !== 0) throw new Error(stderr);
  const [runId = ''] = readdirSync(join(place.dir, '.aieval', 'runs'));
  return { place, runId, outDir: join(place.dir, '.aieval', 'runs', runId) };
}
