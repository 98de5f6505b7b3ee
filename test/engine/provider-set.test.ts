import { expect, it } from 'vitest';
import type { ResolvedProvider } from '../../src/domain/manifest/resolved.ts';
import { createProviderSet } from '../../src/engine/provider-set.ts';
import { createSimulatedProvider } from '../../src/providers/simulated.ts';
import { ASKING } from './asking.ts';

it.each([
  ['one group', [null, null], 4],
  ['a group and the rest', ['s', null], 8],
  ['two groups', ['s', 't'], 8],
])('a provider makes room for the calls of all its groups at once: %s', async (_, groups, calls) => {
  const [model] = Object.values(ASKING.models);
  if (model === undefined) throw new Error('the sample has no model');
  const models = Object.fromEntries(groups.map((group, index) => [`m${index}`, { ...model, id: `m${index}`, group }]));
  const made: ResolvedProvider[] = [];
  const set = createProviderSet({ ...ASKING, models }, async (provider) => {
    made.push(provider);
    return createSimulatedProvider({ latencyMs: 0, sleep: async () => undefined, clock: () => 0 });
  });
  await set.get(model.provider);
  expect(made.map(({ concurrency }) => concurrency)).toEqual([calls]);
});
