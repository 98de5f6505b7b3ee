import { describe, expect, test } from 'vitest';
import { changesSince, type RunSource } from '../../../src/cli/run/run-changes.ts';
import type { ResolvedManifest, ResolvedModel, ResolvedProvider } from '../../../src/domain/manifest/resolved.ts';
import { MANIFEST } from '../sample-run.ts';

const MODEL = { id: 'fast', provider: 'lab', model: 'fast-1', params: {}, price: null } as unknown as ResolvedModel;
const LAB = { id: 'lab', type: 'openai', baseUrl: 'http://127.0.0.1:1/v1' } as ResolvedProvider;
const SOURCE: ResolvedManifest = { ...MANIFEST, providers: { lab: LAB }, models: { fast: MODEL } };
const BEFORE: RunSource = { manifest: SOURCE, documents: documents({ 'a.md': '1', 'b.md': '2' }), selection: null };

function documents(texts: { readonly [id: string]: string | null }): RunSource['documents'] {
  return Object.entries(texts).map(([documentId, textSha256]) => ({ documentId, textSha256 }));
}

function task(changes: object): Partial<ResolvedManifest> {
  const claims = { ...MANIFEST.tasks.claims, ...changes } as ResolvedManifest['tasks'][string];
  return { tasks: { ...MANIFEST.tasks, claims } };
}

describe('what changed between two runs', () => {
  test.each<[string, Partial<ResolvedManifest>, readonly string[]]>([
    ['a prompt', task({ prompt: 'x' }), ['prompt of claims']],
    ['a system message', task({ system: 'x' }), ['prompt of claims']],
    ['a schema', task({ output: { format: 'text' } }), ['output of claims']],
    ['a check', task({ checks: [{}] }), ['checks of claims']],
    ['repeats', task({ repeats: 2 }), ['jobs of claims']],
    ['a parameter', { models: { fast: { ...MODEL, params: { seed: 1 } } } }, ['model fast']],
    ['a server', { providers: { lab: { ...LAB, baseUrl: 'http://127.0.0.1:2/v1' } } }, ['model fast']],
    [
      'a price, a limit, a gate',
      { models: { fast: { ...MODEL, price: 'free' } }, concurrency: 1, gate: { minPassRate: 0, maxErrorRate: 1 } },
      [],
    ],
    ['another model', { models: { fast: MODEL, new: { ...MODEL, id: 'new' } } }, ['new model new']],
    ['one model less', { models: {} }, ['no model fast']],
    ['a matrix', { matrix: { exclude: [{ document: 'a', task: null, model: null }], only: [] } }, ['matrix']],
  ])('%s', (_, manifest, changes) => {
    expect(changesSince(BEFORE, { ...BEFORE, manifest: { ...SOURCE, ...manifest } })).toEqual(changes);
  });

  test('the text of one document is told by its name, of several by their number', () => {
    const changesTo = (texts: Parameters<typeof documents>[0]) => changesSince(BEFORE, { ...BEFORE, documents: documents(texts) });
    expect(changesTo({ 'a.md': '9', 'b.md': '2' })).toEqual(['document a.md']);
    expect(changesTo({ 'a.md': '9', 'b.md': null, 'c.md': '3' })).toEqual(['2 changed documents', '1 new document']);
    expect(changesTo({ 'b.md': '2' })).toEqual(['1 document less']);
  });

  test('another selection is no change of the documents', () => {
    const selection = { document: ['a.md'], task: [], model: [], first: null };
    expect(changesSince(BEFORE, { ...BEFORE, documents: documents({ 'a.md': '1' }), selection })).toEqual(['selection']);
  });
});
