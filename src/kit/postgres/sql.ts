import { createHash } from 'node:crypto'

/** One statement, ready for the driver: `name` makes PostgreSQL keep its plan between calls on a connection. */
export type Statement = { name: string; text: string; values: unknown[] }

const known = new WeakMap<TemplateStringsArray, { name: string; text: string }>()

/**
 * A statement whose every `${…}` is a parameter, never text. Fragments do not compose: when a query has modes, write two.
 * The name is derived from the text, so equal statements share a plan.
 */
export function sql(strings: TemplateStringsArray, ...values: unknown[]): Statement {
  let made = known.get(strings)
  if (!made) {
    const text = strings.reduce((sofar, part, i) => (i === 0 ? part : `${sofar}$${i}${part}`), '').trim()
    made = { name: `q_${createHash('sha1').update(text).digest('base64url').slice(0, 20)}`, text }
    known.set(strings, made)
  }
  return { ...made, values }
}

/** Statements that run outside row-level security, by name, for the test that proves each is bound to a store. */
export const directStatements = new Map<string, string>()

/**
 * Declares a hot statement of the direct pool (no transaction, no row-level security). Parameter 1 must be the store:
 * a test reads this registry and checks text and plan of each.
 */
export function directSql<Values extends unknown[]>(name: string, text: string): (...values: Values) => Statement {
  if (directStatements.has(name)) throw new Error(`The direct statement ${name} is declared twice`)
  directStatements.set(name, text.trim())
  return (...values) => ({ name, text: text.trim(), values })
}

/** Statements that read many stores at once, by name, for the tests of their text and plans. */
export const statementsAcrossStores = new Map<string, string>()

/** Declares a statement over many stores: a plain read, without locks, that joins and groups by store_id. */
export function acrossStores<Values extends unknown[]>(name: string, text: string): (...values: Values) => Statement {
  if (statementsAcrossStores.has(name)) throw new Error(`The statement ${name} is declared twice`)
  statementsAcrossStores.set(name, text.trim())
  return (...values) => ({ name, text: text.trim(), values })
}
