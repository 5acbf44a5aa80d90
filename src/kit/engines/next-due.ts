import { createHash } from 'node:crypto'
import { earliest } from '../clock.ts'
import { type Database, instantList, row, type Statement } from '../postgres/index.ts'
import type { Engine } from './engine.ts'

/**
 * `nextDueAt` of an engine that has it in the database. `next` is a direct statement of one instant, or null or no row where there is
 * nothing: its parameter 1 is the store.
 */
export function nextDueBy(
  db: Database,
  next: (storeId: number) => Statement
): { nextDue: (storeId: number) => Statement; nextDueAt: Engine['nextDueAt'] } {
  return { nextDue: next, nextDueAt: async (storeId) => (await askAll(db, [next(storeId)]))[0]! }
}

/** What each of the engines has due next, from one statement for all that have theirs in the database. */
export async function nextDueOf(
  db: Database,
  engines: readonly Engine[],
  storeId: number
): Promise<Map<Engine, Temporal.Instant | null>> {
  const stored = engines.filter((engine) => engine.nextDue)
  const others = engines.filter((engine) => !engine.nextDue)
  const [ofStored, ofOthers] = await Promise.all([
    stored.length === 0
      ? []
      : askAll(
          db,
          stored.map((engine) => engine.nextDue!(storeId))
        ),
    Promise.all(others.map((engine) => engine.nextDueAt(storeId)))
  ])
  return new Map([...stored, ...others].map((engine, i) => [engine, [...ofStored, ...ofOthers][i]!]))
}

/** The earliest thing still ahead of all these engines. */
export async function earliestDueOf(db: Database, engines: readonly Engine[], storeId: number) {
  return earliest(...(await nextDueOf(db, engines, storeId)).values())
}

const Next = row({ dues: instantList })

/** In one column: a result with one for each engine costs more than all else that is done here. */
async function askAll(db: Database, statements: Statement[]): Promise<(Temporal.Instant | null)[]> {
  const { dues } = await db.direct.one(Next, inOne(statements))
  return dues
}

const texts = new Map<string, { name: string; text: string }>()

/** One row with the instants of all statements. They share the store; each has its other parameters after those before it. */
function inOne(statements: Statement[]): Statement {
  const key = statements.map(({ name }) => name).join()
  let known = texts.get(key)
  if (!known) {
    let others = 1
    const parts = statements.map(({ text, values }) => {
      const from = others - 1
      others += values.length - 1
      return `(${text.replace(/\$(\d+)/g, (_, n) => (n === '1' ? '$1' : `$${from + Number(n)}`))})`
    })
    const text = `select array[${parts.join(',\n')}]::timestamptz[] as dues`
    known = { name: `n_${createHash('sha1').update(text).digest('base64url').slice(0, 20)}`, text }
    texts.set(key, known)
  }
  return { ...known, values: [statements[0]!.values[0], ...statements.flatMap(({ values }) => values.slice(1))] }
}
