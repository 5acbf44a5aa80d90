import type { Static, TSchema } from 'typebox'

/**
 * Says whose facts come in order, such as `member:5`. Facts with the same key reach a consumer in the order of their positions,
 * which is that of the changes where these lock the same row.
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
  /** The request that caused it, where it is not the one that is being answered: what several asked for is done together. */
  requestId?: string
}

/** What a declaration says of a fact; its name is that of the declaration. */
type Content<Data extends object> = Omit<Fact<string, Data>, 'name'>

/** A declared fact: called with what happened, it makes the fact that is recorded. */
type DeclaredFact<Name extends string, Given extends unknown[], Data extends object> = {
  (...given: Given): Fact<Name, Data>
  readonly factName: Name
}

/** Declares an internal fact: its name, and how its ordering key and its snapshot are made from what happened. */
export function defineFact<Name extends string, Given extends unknown[], Data extends object>(
  name: Name,
  build: (...given: Given) => Content<Data>
): DeclaredFact<Name, Given, Data> {
  return Object.assign((...given: Given) => ({ name, ...build(...given) }), { factName: name })
}

/** The static type of a schema, with no field that the schema does not have. */
type Exactly<Schema extends TSchema, Data> = Static<Schema> &
  Data & { [Field in Exclude<keyof Data, keyof Static<Schema>>]: never }

/**
 * Declares a fact that can be published: `event` has the schema of its snapshot (`event.data`), which `build` must make.
 * Declaring it publishes nothing: a table of the consumer says what is published.
 */
export function definePublicFact<
  Name extends string,
  Event extends { data: TSchema },
  Given extends unknown[],
  Data extends object
>(name: Name, event: Event, build: (...given: Given) => Content<Exactly<Event['data'], Data>>) {
  return Object.assign(defineFact(name, build as (...given: Given) => Content<Static<Event['data']> & object>), {
    event
  })
}
