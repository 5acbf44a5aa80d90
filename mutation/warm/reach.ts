import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { digest } from '../mutant.ts'
import { type Planned, RESULTS, ROOT } from '../results.ts'
import { startWarmProcess } from './process.ts'
import type { Switched } from './sources.ts'

/** What one test file runs without a mutant: per source the hash of its text, and which tests pass which mutants. */
export type Reach = {
  /** Hash of the test file. */
  test: string
  passed: boolean
  refusals: string[]
  /** The time of each test, by its number in the file, and of what is around them (-1). */
  ms: Record<number, number>
  /** By mutant: the numbers of the tests that pass it. */
  files: Record<string, { of: string; by: Record<string, number[]> }>
}

/** The longest time of a test file without a mutant. */
const LIMIT_MS = 180_000

/** What each of these test files runs: from the record, or, where the test file is new or has changed, by running it once. */
export async function recordReach(options: {
  name: string
  tests: string[]
  mutants: Planned[]
  switched: Switched
  sources: string
  processes: number
  signal: AbortSignal
}): Promise<Map<string, Reach>> {
  const { name, tests, mutants, switched, sources, processes, signal } = options
  const file = join(RESULTS, `reach-${name}.json`)
  const known = new Map<string, Reach>(existsSync(file) ? Object.entries(JSON.parse(readFileSync(file, 'utf8'))) : [])
  const hashes = new Map(tests.map((test) => [test, digest(readFileSync(join(ROOT, test), 'utf8'))]))
  const missing = tests.filter((test) => known.get(test)?.test !== hashes.get(test) || !known.get(test)!.passed)
  const byName = new Map(mutants.map((one) => [switched.names.get(one.id), one]))
  const empty: Reach['files'] = Object.fromEntries(
    mutants
      .filter(({ id }) => switched.names.has(id))
      .map((one) => [one.mutant.file, { of: digest(one.source), by: {} }])
  )
  const lane = async () => {
    let warm = await startWarmProcess(sources)
    for (let test = missing.shift(); test && !signal.aborted; test = missing.shift()) {
      if (!warm.isAlive()) warm = await startWarmProcess(sources)
      const ended = await warm.run({ file: join(ROOT, test), only: null, mutant: null, template: null }, LIMIT_MS)
      const passed = ended.status === 'passed'
      const files: Reach['files'] = structuredClone(empty)
      const ms: Reach['ms'] = {}
      for (const [number, part] of Object.entries(ended.parts)) {
        ms[Number(number)] = part.ms
        for (const reached of part.reached) {
          const one = byName.get(reached)
          if (one) (files[one.mutant.file]!.by[one.id] ??= []).push(Number(number))
        }
      }
      known.set(test, { test: hashes.get(test)!, passed, refusals: ended.refusals, ms, files })
      writeFileSync(file, JSON.stringify(Object.fromEntries(known)))
      const time = `${(ended.ms / 1000).toFixed(1)} s`
      process.stdout.write(
        passed
          ? `recorded ${test} (${time})\n`
          : `FAILS, left out: ${test}: ${ended.status}\n${ended.error?.slice(0, 1_500)}\n`
      )
      if (!passed || !ended.isClean) warm.stop()
    }
    warm.stop()
  }
  await Promise.all(Array.from({ length: Math.min(processes, missing.length) }, lane))
  return known
}

/**
 * The numbers of the tests of a file that reach a mutant, null for all of them. Of a source that has changed since, all if any
 * mutant of it was reached.
 */
export function testsReaching({ files }: Reach, { id, mutant, source }: Planned): number[] | null {
  const found = files[mutant.file]
  if (!found) return null
  if (found.of !== digest(source)) return Object.keys(found.by).length > 0 ? null : []
  const numbers = found.by[id] ?? []
  return numbers.includes(-1) ? null : numbers
}

/** How long these tests of a file take, with what is around them. */
export function timeOf({ ms }: Reach, only: number[] | null): number {
  const all = Object.entries(ms)
  return all.reduce(
    (sum, [number, time]) => sum + (!only || number === '-1' || only.includes(Number(number)) ? time : 0),
    0
  )
}
