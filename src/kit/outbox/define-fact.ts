/**
 * Names the row under whose lock a fact is recorded, such as `member:5`. Facts with the same key reach a consumer in the
 * order in which they were recorded.
 */
export type OrderingKey = `${string}:${number}`

/**
 * Something that happened. `data` is a snapshot of what was true then, which no consumer looks up again; it is stored as
 * JSON. `refs` are internal ids for consumers and for the auditor.
 */
export type Fact<Name extends string = string, Data extends object = object> = {
  name: Name
  orderingKey: OrderingKey
  data: Data
  refs?: Record<string, number>
}

/**
 * Declares a fact: its name, and how its ordering key and its snapshot are made from what happened. The type of the
 * snapshot is that of `data`; a fact that becomes a public event states it by `satisfies EventData<'…'>`.
 */
export function defineFact<Name extends string, Given extends unknown[], Data extends object>(
  name: Name,
  build: (...given: Given) => Omit<Fact<Name, Data>, 'name'>
): (...given: Given) => Fact<Name, Data> {
  return (...given) => ({ name, ...build(...given) })
}
