import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Else every file of a package whose source maps lead nowhere is told.
  logLevel: 'error',
  test: {
    include: ['test/**/*.test.ts'],
    // Each has a command of its own: test:mutants, bench.
    exclude: ['test/mutants/**', 'test/bench/**'],
    // It starts nothing: the first test that needs a PostgreSQL server does.
    globalSetup: ['test/store/postgres/global-setup.ts'],
    reporters: ['default', './test/closing-line.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // It imports JSON without saying so, which vite can read and Node cannot.
    server: { deps: { inline: [/@actions\/(workflow-parser|expressions)/] } },
    pool: 'forks',
    maxWorkers: 2,
  },
});
