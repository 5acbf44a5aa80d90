// A warm process: loads the module with all its mutants once, and runs test files with one of them switched on, as `pool.ts` asks.
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { runTests } from './node-test.ts'
import { activate, endOfLoading, takeReached } from './switch.ts'

/** One test file, with a mutant or without; `template` is another database to copy. */
export type Order = { file: string; mutant: string | null; template: string | null }
/** How it ended. `refusals` are the codes by which PostgreSQL did not accept a statement. */
export type Answer = { error: string | null; isClean: boolean; ms: number; reached: string[]; refusals: string[] }

/** PostgreSQL's codes of what it does not accept as a statement; a missing right (42501) is found by a rule and not among them. */
const REFUSED = /^(?!42501)(?:42...|0A000)$/

const { sources } = JSON.parse(readFileSync(process.env.MUTATION_WARM!, 'utf8')) as { sources: Record<string, string> }
const template = process.env.TEST_TEMPLATE
let refusals = new Set<string>()
watchRefusals()

activate(process.env.MUTATION_ACTIVE ?? null)
for (const url of Object.keys(sources)) await import(url)
process.send!({ static: endOfLoading() })

let run = 0
process.on('message', async ({ file, mutant, template: other }: Order) => {
  const begin = performance.now()
  refusals = new Set()
  takeReached()
  activate(mutant)
  process.env.TEST_TEMPLATE = other ?? template
  const { error, isClean } = await runTests(() => import(`${pathToFileURL(file).href}?run=${++run}`))
  activate(process.env.MUTATION_ACTIVE ?? null)
  const answer: Answer = {
    error,
    isClean,
    ms: performance.now() - begin,
    reached: takeReached(),
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
