import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Mutant } from './mutant.ts'

export const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** Where results, records and Stryker's copies are; not in git. */
export const RESULTS = join(ROOT, 'mutation/results')

/** A mutant with its name and the file that it changes. */
export type Planned = { id: string; mutant: Mutant; source: string }

/**
 * How a mutant ended, in Stryker's words. Killed and Timeout: a test noticed. Survived, NoCoverage: none did. Refused and
 * RuntimeError: TypeScript or PostgreSQL refuses it, or the process ended before its first test; not counted.
 */
export type Result = {
  id: string
  status: 'Killed' | 'Timeout' | 'Survived' | 'NoCoverage' | 'Refused' | 'RuntimeError'
  /** The test file that noticed. */
  by?: string
  reason?: string
}

export const resultsOf = (module: string): string => join(RESULTS, `${module}.jsonl`)

/** What is known, by mutant; the last result counts. */
export function readResults(file: string): Map<string, Result> {
  if (!existsSync(file)) return new Map()
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean)
  return new Map(lines.map((line) => JSON.parse(line) as Result).map((result) => [result.id, result]))
}

export function addResult(file: string, result: Result): void {
  appendFileSync(file, `${JSON.stringify(result)}\n`)
}

/** Whether a test noticed; null where that does not count. */
export function isCaught({ status }: Result): boolean | null {
  if (status === 'Refused' || status === 'RuntimeError') return null
  return status === 'Killed' || status === 'Timeout'
}
