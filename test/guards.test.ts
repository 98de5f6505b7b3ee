import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { MUTANTS } from './mutants/mutants.ts';

/** Whether a test turns red without it is what `npm run test:mutants` tries, which takes long. */
it.each(MUTANTS)('the guard that a mutant removes stands in its file, once: $guard', ({ file, find }) => {
  expect(readFileSync(file, 'utf8').split(find)).toHaveLength(2);
});
