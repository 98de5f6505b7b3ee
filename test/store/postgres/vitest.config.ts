import { defineConfig } from 'vitest/config';

/** Apart from `npm test` as long as no command opens a store on PostgreSQL: these need its server on the path or in Debian's folder. */
export default defineConfig({
  test: {
    include: ['test/store/postgres/**/*.test.ts'],
    // It starts nothing: the first test that needs the server does.
    globalSetup: ['test/store/postgres/global-setup.ts'],
    reporters: ['default', './test/closing-line.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 2,
  },
});
