// Loaded by `--import` into each process of a test of one SQL mutant, those that the test starts as well: the mutated file is read with
// the change, and nothing on the disk changes.
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

const { MUTANT } = process.env

if (MUTANT) {
  const { url, start, end, replacement } = JSON.parse(MUTANT) as {
    url: string
    start: number
    end: number
    replacement: string
  }
  registerHooks({
    load(of, context, next) {
      if (of !== url) return next(of, context)
      const source = readFileSync(new URL(url), 'utf8')
      return {
        format: 'module-typescript',
        shortCircuit: true,
        source: source.slice(0, start) + replacement + source.slice(end)
      }
    }
  })
}
