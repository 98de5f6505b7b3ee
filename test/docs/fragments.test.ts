import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseUserConfig } from '../../src/cli/config/config-parse.ts';
import { jsonSchemaFault } from '../../src/domain/manifest/json-schema-fault.ts';
import { parseSource } from '../../src/domain/manifest/syntax.ts';
import { loadManifest } from '../../src/engine/load-manifest.ts';
import { type Project, project } from '../e2e/project.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Pages with JSON for manifests, and how many pieces of it they hold at least; manifest.md has a test of its own. */
const PAGES: readonly (readonly [page: string, pieces: number])[] = [
  ['README.md', 2],
  ['docs/writing-tasks.md', 13],
  ['docs/recipes.md', 6],
  ['docs/documents.md', 1],
  ['docs/providers.md', 1],
  ['docs/configuration.md', 1],
];

/** What a piece is put over: a manifest with one task, whose answers have all that the pieces speak of. */
const BASE = {
  version: 1,
  documents: ['specs/**/*.md'],
  models: { fast: { model: 'gpt-5-mini', params: { maxOutputTokens: 1000 } } },
  tasks: {
    review: {
      prompt: 'Q {{document}}',
      checks: [],
      output: {
        schema: {
          type: 'object',
          properties: {
            summary: { type: 'string' },
            clarity: { type: 'integer' },
            findings: { type: 'array', items: { type: 'object', properties: { quote: { type: 'string' }, severity: { type: 'string' } } } },
          },
        },
      },
    },
  },
};

const DOCUMENTS = ['specs/drafts/a.md', 'specs/partner.pdf', 'papers/a.pdf'];

function piecesOf(page: string): string[] {
  const text = readFileSync(`${ROOT}${page}`, 'utf8');
  return [...text.matchAll(/^```jsonc?\n(.*?)^```/gms)].map(([, piece = '']) => piece);
}

/** The value of a piece; of lines out of the middle of a manifest, as a manifest. */
function readPiece(piece: string): object {
  const whole = piece.trimStart().startsWith('{') ? piece : `{${piece.trimEnd().replace(/,$/, '')}}`;
  const { source, problems } = parseSource(whole, 'piece.jsonc');
  expect(problems, piece).toEqual([]);
  return Object(source?.value);
}

describe.each(PAGES)('%s', (page, pieces) => {
  let place: Project;
  beforeAll(async () => {
    place = project({ files: Object.fromEntries(DOCUMENTS.map((path) => [path, 'x'])) });
    expect((await place.aieval('init')).exitCode).toBe(0);
    place.write('base.json', JSON.stringify(BASE));
  });
  afterAll(() => place.remove());

  /** Reads it as a user's, with prompts and schemas of `aieval init`; throws what a user would be told. */
  async function load(value: object): Promise<void> {
    const whole = 'version' in value ? value : { version: 1, extends: ['base.json'], ...value };
    place.write('piece.json', JSON.stringify(whole));
    await loadManifest('piece.json', { cwd: place.dir });
  }

  test('holds only JSON that the program takes', { timeout: 60_000 }, async () => {
    const found = piecesOf(page).map(readPiece);
    expect(found.length).toBeGreaterThanOrEqual(pieces);
    for (const value of found) {
      if (page === 'docs/configuration.md') parseUserConfig(JSON.stringify(value), 'config.json');
      else if ('type' in value) expect(jsonSchemaFault(JSON.parse(JSON.stringify(value)))).toBeNull();
      else await load(value);
    }
  });
});
