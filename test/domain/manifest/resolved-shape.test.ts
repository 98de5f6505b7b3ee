import { describe, expect, it } from 'vitest';
import { isResolvedManifest } from '../../../src/domain/manifest/resolved-shape.ts';
import { isRunSettings } from '../../../src/domain/settings-shape.ts';
import { ASKING } from '../../engine/asking.ts';
import { settings } from '../../store/rows.ts';

const STORED = JSON.stringify(ASKING);
const [MODEL = ''] = Object.keys(ASKING.models);
const [PROVIDER = ''] = Object.keys(ASKING.providers);
const [TASK = ''] = Object.keys(ASKING.tasks);

/** Where a stored manifest is not one any more after `change`; `null`: it still is. */
function faultAfter(change: (manifest: ReturnType<typeof JSON.parse>) => void): string | null {
  const manifest = JSON.parse(STORED);
  change(manifest);
  const trail: string[] = [];
  return isResolvedManifest(manifest, trail) ? null : trail.join('.');
}

describe('a manifest that a store gives back', () => {
  it('is one as it was stored, also with fields of a version that knows more', () => {
    expect(faultAfter(() => undefined)).toBeNull();
    expect(
      faultAfter((manifest) => {
        manifest.later = 1;
        manifest.providers[PROVIDER].later = 1;
      }),
    ).toBeNull();
  });

  it.each<[string, (manifest: ReturnType<typeof JSON.parse>) => void]>([
    [`providers.${PROVIDER}.type`, (manifest) => (manifest.providers[PROVIDER].type = 'bogus')],
    [`providers.${PROVIDER}.type`, (manifest) => (manifest.providers[PROVIDER].type = 17)],
    [`providers.${PROVIDER}.baseUrl`, (manifest) => Object.assign(manifest.providers[PROVIDER], { type: 'openai', baseUrl: null })],
    [`providers.${PROVIDER}.cassette`, (manifest) => Object.assign(manifest.providers[PROVIDER], { type: 'replay', cassette: null })],
    [`providers.${PROVIDER}.headers.X\r\nY`, (manifest) => (manifest.providers[PROVIDER].headers = { 'X\r\nY': 'LAB_KEY' })],
    [`models.${MODEL}.provider`, (manifest) => (manifest.models[MODEL].provider = 'nobody')],
    [`tasks.${TASK}.checks.0.type`, (manifest) => (manifest.tasks[TASK].checks = [{ id: 'a', at: '', severity: 'must', type: 'later' }])],
    [
      `tasks.${TASK}.checks.0.pattern`,
      (manifest) => (manifest.tasks[TASK].checks = [{ id: 'a', at: '', severity: 'must', type: 'regex' }]),
    ],
    ['outputs.0', (manifest) => (manifest.outputs = ['later'])],
    ['tasks', (manifest) => delete manifest.tasks],
    ['models', (manifest) => (manifest.models = [])],
  ])('is none with another %s, and the place is told', (place, change) => {
    expect(faultAfter(change)).toBe(place);
  });

  it.each([[null], [17], ['text'], [[]], [{}]])('is not %j', (value) => {
    expect(isResolvedManifest(value, [])).toBe(false);
  });
});

describe('what rules a run, as a store gives it back', () => {
  it('is as it was stored, and nothing else', () => {
    const stored = JSON.parse(JSON.stringify(settings({ selection: { document: ['a'], task: [], model: [], first: 3 } })));
    expect(isRunSettings(stored, [])).toBe(true);
    const trail: string[] = [];
    expect(isRunSettings({ ...stored, cacheMode: 'later' }, trail)).toBe(false);
    expect(trail).toEqual(['cacheMode']);
    expect(isRunSettings({}, [])).toBe(false);
  });
});
