import { defineConfig } from 'vitest/config';

/** Apart from `npm test`: each mutant runs a part of the suite twice. */
export default defineConfig({
  test: { include: ['test/mutants/*.test.ts'], reporters: ['verbose', './test/closing-line.ts'], pool: 'forks', maxWorkers: 1 },
});
