import { defineConfig } from 'vitest/config';

const totals = process.env['TEST_TOTALS'];

export default defineConfig({
  test: {
    testTimeout: 20_000,
    // CI wants the totals in a file as well.
    reporters: totals === undefined ? ['default'] : ['default', ['json', { outputFile: totals }]],
    // Two cores are what a Raspberry Pi and the CI machine can be counted on to spare.
    maxWorkers: 2,
    projects: [
      // What these files open they close, so that a worker need not load everything anew for each.
      { extends: true, test: { name: 'unit', include: ['test/unit/**/*.test.ts'], isolate: false } },
      { extends: true, test: { name: 'contract', include: ['test/contract/**/*.test.ts'], isolate: false } },
      { extends: true, test: { name: 'integration', include: ['test/integration/**/*.test.ts'], isolate: false } },
      { extends: true, test: { name: 'e2e', include: ['test/e2e/**/*.test.ts'] } },
      // By a command of its own, for it needs Chromium: npm run test:browser.
      { extends: true, test: { name: 'browser', include: ['test/browser/**/*.test.ts'] } },
    ],
  },
});
