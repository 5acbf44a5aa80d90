import { createHash } from 'node:crypto'

/** A statement for the driver. With `name`, PostgreSQL keeps it prepared on the connection. */
export type Statement = { name: string; text: string; values: unknown[] }

const known = new WeakMap<TemplateStringsArray, { name: string; text: string }>()

/**
 * Builds a statement in which every `${…}` is a parameter, never text. Fragments cannot be combined: for a query with modes, write
 * two queries. The name is derived from the text, so equal statements share a plan.
 */
export function sql(strings: TemplateStringsArray, ...values: unknown[]): Statement {
  let cached = known.get(strings)
  if (!cached) {
    const text = strings.reduce((sofar, part, i) => (i === 0 ? part : `${sofar}$${i}${part}`), '').trim()
    cached = { name: `q_${createHash('sha1').update(text).digest('base64url').slice(0, 20)}`, text }
    known.set(strings, cached)
  }
  return { ...cached, values }
}

/** Statements that run without row-level security, by name, for the test that checks that each is bound to a store. */
export const directStatements = new Map<string, string>()

/**
 * Declares a frequent statement for `Database.direct` (no transaction, no row-level security). Parameter 1 must be the store id: a
 * test checks the text and plan of every statement in this registry.
 */
export function directSql<Values extends unknown[]>(name: string, text: string): (...values: Values) => Statement {
  if (directStatements.has(name)) throw new Error(`The direct statement ${name} is declared twice`)
  directStatements.set(name, text.trim())
  return (...values) => ({ name, text: text.trim(), values })
}

/** Statements that read many stores, by name, for the tests of their text and plans. */
export const statementsAcrossStores = new Map<string, string>()

/** Declares a statement over many stores: a plain read, without locks, that joins and groups by store_id. */
export function acrossStores<Values extends unknown[]>(name: string, text: string): (...values: Values) => Statement {
  if (statementsAcrossStores.has(name)) throw new Error(`The statement ${name} is declared twice`)
  statementsAcrossStores.set(name, text.trim())
  return (...values) => ({ name, text: text.trim(), values })
}
