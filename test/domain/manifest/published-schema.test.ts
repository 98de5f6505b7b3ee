import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { manifestJsonSchema } from '../../../src/domain/manifest/published-schema.ts';
import { MINIMAL, SAMPLE } from './sample.ts';

type Node = { readonly [key: string]: unknown };

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Every named property of a schema, at every depth. */
function propertiesOf(node: unknown, path = ''): [path: string, property: Node][] {
  if (Array.isArray(node)) return node.flatMap((item) => propertiesOf(item, path));
  if (!isNode(node)) return [];
  return Object.entries(node).flatMap(([key, value]) => {
    if (key !== 'properties' || !isNode(value)) return propertiesOf(value, path);
    return Object.entries(value).flatMap(([name, child]) =>
      isNode(child) ? [[`${path}/${name}`, child] as [string, Node], ...propertiesOf(child, `${path}/${name}`)] : [],
    );
  });
}

/** Writes the file anew with `npx vitest run -u`. */
test('the published JSON Schema is current', async () => {
  await expect(`${JSON.stringify(manifestJsonSchema(), null, 2)}\n`).toMatchFileSnapshot('../../../schema/manifest-1.json');
});

test('the published JSON Schema is draft-07 and accepts what the parser accepts', () => {
  const schema = manifestJsonSchema();
  const validate = new Ajv({ strict: false, allErrors: true }).compile(schema);
  expect(schema.$schema).toBe('http://json-schema.org/draft-07/schema#');
  expect([validate(MINIMAL), validate(JSON.parse(SAMPLE)), validate({ ...MINIMAL, documnets: [] })]).toEqual([true, true, false]);
});

test('a profile, and a manifest that extends others, may leave out what they do not change, and hold nothing unknown', () => {
  const validate = new Ajv({ strict: false, allErrors: true }).compile(manifestJsonSchema());
  const profile = (part: object) => validate({ ...MINIMAL, profiles: { ci: part } });
  const part = { models: { fast: { params: { seed: 1 } } }, providers: { lab: { limits: { concurrency: 2 } } } };
  expect([profile(part), profile({ tasks: { ambiguity: { repeats: 3 } } }), profile({ privacy: { evidence: 'none' } })]).toEqual([
    true,
    true,
    true,
  ]);
  expect([
    profile({ modles: {} }),
    profile({ models: { fast: { modl: 'x' } } }),
    profile({ version: 1 }),
    profile({ extends: [] }),
  ]).toEqual([false, false, false, false]);
  expect([validate({ version: 1, extends: ['base.json'], ...part }), validate({ version: 1, ...part })]).toEqual([true, false]);
});

test('the published JSON Schema describes every key', () => {
  const silent = propertiesOf(manifestJsonSchema()).filter(
    ([, { description, $ref }]) => $ref === undefined && (typeof description !== 'string' || description === ''),
  );
  expect(silent.map(([path]) => path)).toEqual([]);
});

test('the published JSON Schema does not offer fields of later versions', () => {
  const names = new Set(propertiesOf(manifestJsonSchema()).map(([path]) => path.split('/').at(-1)));
  const later = ['baseline', 'maxRegressions'];
  expect(later.filter((name) => names.has(name))).toEqual([]);
});
