import { test } from 'vitest';
import { manifestJsonSchema } from '../../../src/domain/manifest/published-schema.ts';
test('x', () => { console.log(JSON.stringify(manifestJsonSchema(),null,1)); });
