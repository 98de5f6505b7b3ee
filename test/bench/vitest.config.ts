import { defineConfig } from 'vitest/config';

/** One file at a time: what runs beside a measurement is part of it only where the bench put it there. */
export default defineConfig({
  test: {
    include: ['test/bench/*.bench.ts'],
    testTimeout: 600_000,
    hookTimeout: 600_000,
    pool: 'forks',
    maxWorkers: 1,
    fileParallelism: false,
  },
});
