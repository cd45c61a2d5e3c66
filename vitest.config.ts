import { defineConfig } from 'vitest/config';

const totals = process.env['TEST_TOTALS'];

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 20_000,
    // CI wants the totals in a file as well.
    reporters: totals === undefined ? ['default'] : ['default', ['json', { outputFile: totals }]],
    // Two cores are what a Raspberry Pi and the CI machine can be counted on to spare.
    maxWorkers: 2,
  },
});
