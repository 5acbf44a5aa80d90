import type { Ctx, Statement } from '../postgres/index.ts'
import type { Person } from './person.ts'

/** `changed`: how many rows lost something. `next`: from where the next transaction goes on; null: that was all. */
export type ErasedPart = { changed: number; next: string | null }

/**
 * What a table has of people. Declared in the `personal-data.ts` of the module that owns the table, with one line in
 * `privacy/holder-list.ts`. A test fails for a column that can hold words and is in no declaration, nor in the list of those that
 * never hold any about people.
 */
export type PersonalData = {
  table: string
  /** The columns with what names, describes or reaches a person. */
  columns: readonly string[]
  /** What is handed out on a request: one row for each, as JSON in `held`. Null: it only repeats what other tables have. */
  held: ((ctx: Ctx, person: Person) => Statement) | null
  /**
   * Takes the person out of a part of the table, in one transaction, and keeps what is counted and summed. Safe to repeat. It runs when
   * the customer's own row is erased already.
   */
  erase: (ctx: Ctx, person: Person, after: string | null) => Promise<ErasedPart>
}

/** Declares what a table has of people. */
export const definePersonalData = (declared: PersonalData): PersonalData => declared

/** For tables of which an index finds the rows of a person: one transaction. */
export const inOneStep =
  (...statements: ((ctx: Ctx, person: Person) => Statement)[]): PersonalData['erase'] =>
  async (ctx, person) => {
    let changed = 0
    for (const statement of statements) changed += await ctx.tx.run(statement(ctx, person))
    return { changed, next: null }
  }

/** Rows that are looked through in one transaction where no index finds those of a person. */
export const WINDOW = 1_000

/**
 * For tables that are looked through from end to end. `endOf` is the last key of the window behind `after`; `erase` changes what is in
 * between.
 */
export const inWindows =
  <Key extends string | number>(window: {
    first: Key
    keyOf: (text: string) => Key
    endOf: (ctx: Ctx, after: Key) => Promise<Key | null>
    erase: (ctx: Ctx, person: Person, after: Key, end: Key) => Promise<number>
  }): PersonalData['erase'] =>
  async (ctx, person, text) => {
    const after = text === null ? window.first : window.keyOf(text)
    const end = await window.endOf(ctx, after)
    if (end === null) return { changed: 0, next: null }
    return { changed: await window.erase(ctx, person, after, end), next: String(end) }
  }
