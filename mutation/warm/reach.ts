import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { digest } from '../mutant.ts'
import { type Planned, RESULTS, ROOT } from '../results.ts'
import { startWarmProcess } from './process.ts'
import type { Switched } from './sources.ts'

/** What one test file runs without a mutant: per source the hash of its text, and the mutants that were passed. */
export type Reach = {
  /** Hash of the test file. */
  test: string
  ms: number
  passed: boolean
  refusals: string[]
  files: Record<string, { of: string; ids: string[] }>
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
  const empty = Object.fromEntries(
    mutants
      .filter(({ id }) => switched.names.has(id))
      .map((one) => [one.mutant.file, { of: digest(one.source), ids: [] as string[] }])
  )
  const lane = async () => {
    let warm = await startWarmProcess(sources)
    for (let test = missing.shift(); test && !signal.aborted; test = missing.shift()) {
      if (!warm.isAlive()) warm = await startWarmProcess(sources)
      const ended = await warm.run({ file: join(ROOT, test), mutant: null, template: null }, LIMIT_MS)
      const passed = ended.status === 'passed'
      const files: Reach['files'] = structuredClone(empty)
      for (const reached of ended.reached) {
        const one = byName.get(reached)
        if (one) files[one.mutant.file]!.ids.push(one.id)
      }
      known.set(test, { test: hashes.get(test)!, ms: ended.ms, passed, refusals: ended.refusals, files })
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

/** Whether a test file reaches a mutant. Of a source that has changed since: whether it reached any of its mutants. */
export function reaches(reach: Reach, { id, mutant, source }: Planned): boolean {
  const found = reach.files[mutant.file]
  if (!found) return true
  return found.of === digest(source) ? found.ids.includes(id) : found.ids.length > 0
}
