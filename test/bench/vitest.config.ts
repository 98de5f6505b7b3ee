import { defineConfig } from 'vitest/config';

/** One file at a time: what runs beside a measurement is part of it only where the bench put it there. */
export default defineConfig({
  test: {
    include: ['test/bench/*.bench.ts'],
    globalSetup: ['test/store/postgres/global-setup.ts'],
    testTimeout: 1_800_000,
    hookTimeout: 600_000,
    pool: 'forks',
    maxWorkers: 1,
    fileParallelism: false,
  },
});
