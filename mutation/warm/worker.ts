// A warm process: loads the module with all its mutants once, and runs test files with one of them switched on, as `pool.ts` asks.
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { failUncaught, runTests } from './node-test.ts'
import { activate, endOfLoading, takeReached } from './switch.ts'

/** One test file, or the tests with these numbers in it, with a mutant or without; `template` is another database to copy. */
export type Order = { file: string; only: number[] | null; mutant: string | null; template: string | null }
/**
 * How it ended. `parts` are what each test (by its number), and what is around them (-1), took and reached. `refusals` are the
 * codes by which PostgreSQL did not accept a statement.
 */
export type Answer = {
  error: string | null
  isClean: boolean
  ms: number
  parts: Record<number, Part>
  refusals: string[]
}
export type Part = { ms: number; reached: string[] }

/** PostgreSQL's codes of what it does not accept as a statement; a missing right (42501) is found by a rule and not among them. */
const REFUSED = /^(?!42501)(?:42...|0A000)$/

const { sources } = JSON.parse(readFileSync(process.env.MUTATION_WARM!, 'utf8')) as { sources: Record<string, string> }
const template = process.env.TEST_TEMPLATE
let refusals = new Set<string>()
watchRefusals()
for (const name of ['uncaughtException', 'unhandledRejection'] as const) process.on(name, failUncaught)

activate(process.env.MUTATION_ACTIVE ?? null)
for (const url of Object.keys(sources)) await import(url)
process.send!({ static: endOfLoading() })

let run = 0
process.on('message', async ({ file, only, mutant, template: other }: Order) => {
  const begin = performance.now()
  refusals = new Set()
  takeReached()
  activate(mutant)
  process.env.TEST_TEMPLATE = other ?? template
  const parts: Record<number, Part> = {}
  let since = begin
  const ended = (number: number) => {
    const now = performance.now()
    const before = parts[number] ?? { ms: 0, reached: [] }
    parts[number] = { ms: before.ms + now - since, reached: [...new Set([...before.reached, ...takeReached()])] }
    since = now
  }
  const load = () => import(`${pathToFileURL(file).href}?run=${++run}`)
  const { error, isClean } = await runTests(load, only, ended)
  activate(process.env.MUTATION_ACTIVE ?? null)
  const answer: Answer = {
    error,
    isClean,
    ms: performance.now() - begin,
    parts,
    refusals: [...refusals]
  }
  process.send!(answer)
})

/** Notes what PostgreSQL refuses, also where the code answers for it in words of its own. */
function watchRefusals(): void {
  const { emit } = pg.Connection.prototype as { emit: (name: string, ...rest: unknown[]) => boolean }
  Object.assign(pg.Connection.prototype, {
    emit(this: unknown, name: string, ...rest: unknown[]): boolean {
      const code = name === 'errorMessage' ? (rest[0] as { code?: string }).code : undefined
      if (code && REFUSED.test(code)) refusals.add(code)
      return emit.call(this, name, ...rest)
    }
  })
}
