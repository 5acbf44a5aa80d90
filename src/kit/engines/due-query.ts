import { acrossStores, type Statement } from '../postgres/index.ts'

/** The stores that a due query looks at, and until when the work of each counts. Both are PostgreSQL's text of an array. */
export type DueStores = { ids: string; until: string }

/** `until` is an instant of the store's clock as text, or of real time for an engine whose schedule is in real time. */
export function dueStores(stores: { storeId: number; until: string }[]): DueStores {
  return { ids: `{${stores.map((s) => s.storeId).join()}}`, until: `{${stores.map((s) => s.until).join()}}` }
}

/** The names of all due queries, for the test of their plans. */
export const dueQueries = new Set<string>()

/**
 * Declares what an engine has due over many stores. `$1` are the ids of stores (bigint[]), `$2` the instants until which
 * their work counts (timestamptz[]). It returns (store_id, due_at) with the earliest instant of each store that has work
 * up to then, in one or several rows, and leaves out what a running process has leased. Other parameters may follow.
 */
export function dueQuery<Others extends unknown[] = []>(
  name: string,
  text: string
): (stores: DueStores, ...others: Others) => Statement {
  const statement = acrossStores<[ids: string, until: string, ...Others]>(name, text)
  dueQueries.add(name)
  return ({ ids, until }, ...others) => statement(ids, until, ...others)
}
