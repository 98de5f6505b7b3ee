import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { manifestFieldsSchema } from '../../src/domain/manifest/published-schema.ts';
import { loadManifest } from '../../src/engine/load-manifest.ts';
import { GENERATED, manifestReference } from './manifest-reference.ts';

const PAGE = fileURLToPath(new URL('../../docs/manifest.md', import.meta.url));
const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** Writes the tables anew with `npx vitest run -u`. */
test('the reference of the manifest says of every field what the schema says', async () => {
  const [head = ''] = readFileSync(PAGE, 'utf8').split(GENERATED);
  await expect(`${head}${GENERATED}\n\n${manifestReference(manifestFieldsSchema())}`).toMatchFileSnapshot('../../docs/manifest.md');
});

test('the examples of the reference are valid, with each of their profiles', async () => {
  const page = readFileSync(PAGE, 'utf8');
  const [whole = '', shared = '', extended = ''] = [...page.matchAll(/^```jsonc\n(.*?)^```/gms)].map(([, text = '']) => text);
  const folder = mkdtempSync(join(tmpdir(), 'aieval-'));
  folders.push(folder);
  const files = {
    'manifest.jsonc': whole,
    'team/models.jsonc': shared,
    'extended.jsonc': extended,
    'prompts/ambiguity.md': '{{document}}\n\nBy {{vars.style}}: {{schema}}',
    'schemas/findings.json':
      '{ "type": "object", "properties": { "findings": { "type": "array", "items": { "properties": { "quote": {} } } } } }',
    'team/prompts/claims.md': '{{document}}\n\nList its claims.',
    'specs/a.md': 'x',
    'papers/b.pdf': 'x',
  };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  expect((await loadManifest('manifest.jsonc', { cwd: folder })).documents.length).toBe(2);
  const ci = await loadManifest('extended.jsonc', { cwd: folder, profile: { name: 'ci', by: '--profile' } });
  expect(ci.manifest).toMatchObject({ budget: { usd: 1 }, concurrency: 2, privacy: { evidence: 'none' } });
});
