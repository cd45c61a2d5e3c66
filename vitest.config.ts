import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 20_000,
    // Two cores are what a Raspberry Pi and the CI machine can be counted on to spare.
    maxWorkers: 2,
  },
});
