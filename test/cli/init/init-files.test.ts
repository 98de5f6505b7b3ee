import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { initFiles } from '../../../src/cli/init/init-files.ts';
import { loadManifest } from '../../../src/engine/load-manifest.ts';

test('what init writes is a valid manifest without a warning', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'aieval-'));
  try {
    for (const { path, content } of initFiles('./schema.json')) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content);
    }
    const { manifest, warnings } = await loadManifest('manifest.json', { cwd: folder });
    expect([Object.keys(manifest.tasks), Object.keys(manifest.models), warnings]).toEqual([['review'], ['fast'], []]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('init writes a budget nowhere and a key nowhere', () => {
  expect(JSON.stringify(initFiles('./schema.json'))).not.toMatch(/budget|apiKey/);
});
