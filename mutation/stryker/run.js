// Runs Stryker over one module with the options in a file: the mutants of the plan only, and each result is noted at once.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

const { Stryker } = await import(pathToFileURL(createRequire(import.meta.url).resolve('@stryker-mutator/core')).href)
const plan = JSON.parse(readFileSync(process.env.MUTATION_PLAN, 'utf8'))

await new Stryker({
  mutate: plan.files,
  mutator: { plugins: null, excludedMutations: plan.excludedMutations },
  testRunner: 'perennial',
  plugins: [new URL('plugin.js', import.meta.url).href],
  reporters: ['perennial'],
  tap: {
    testFiles: plan.tests,
    nodeArgs: ['--import', './test/compare-temporal.ts', '--test-reporter=tap', '-r', '{{hookFile}}', '{{testFile}}'],
    forceBail: true
  },
  coverageAnalysis: 'perTest',
  ignorePatterns: ['/mutation', '/docs', '/data', '/.git', '/bench', '/trials'],
  symlinkNodeModules: false,
  disableTypeChecks: false,
  // It would be rewritten with a TypeScript that this folder does not have.
  tsconfigFile: 'none.json',
  tempDirName: plan.work,
  cleanTempDir: 'always',
  concurrency: plan.processes,
  timeoutMS: plan.timeoutMs,
  timeoutFactor: 4,
  dryRunTimeoutMinutes: 20,
  allowConsoleColors: false,
  logLevel: process.env.MUTATION_LOG ?? 'warn',
  warnings: { slow: false },
  allowEmpty: true
}).runMutationTest()
