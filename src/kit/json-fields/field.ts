import type { FieldProblem } from '../refusal.ts'

/** Where a value was found, and the problems that were found so far; each is named by its path, such as `offers[0].type`. */
export type Found = {
  path: string
  problems: FieldProblem[]
  /** A key of the object that is read already. */
  readKey?: string
}

/**
 * One value of a JSON document: how it is written, how it is read, and what it means. The same declaration writes and reads a
 * document, checks what people enter, and is what the API's schema and the docs are made of.
 */
export type JsonField<T> = {
  /** The JSON of a value; undefined leaves the field out. */
  write(value: T): unknown
  /** Reads JSON. It never throws: it adds a problem, and returns a placeholder that nobody uses. */
  read(given: unknown, found: Found): T
  /** What is accepted, in words: "0 or 1". */
  accepts: string
  /** For the API's schema and the docs: what is written, not all that is read. */
  schema: Record<string, unknown>
  /** What a field of an object means; '' where its name says it. */
  meaning: string
  /** The value of a field that is left out. Without one it has to be there. */
  otherwise?: { value: T }
}

export type ValueOf<F> = F extends JsonField<infer T> ? T : never

/** A field whose value is one piece of JSON. `parse` returns undefined for what it does not accept. */
export function scalar<T>(declared: {
  accepts: string
  schema: Record<string, unknown>
  write: (value: T) => unknown
  parse: (given: unknown) => T | undefined
  meaning?: string
}): JsonField<T> {
  const { accepts, schema, write, parse, meaning = '' } = declared
  return {
    accepts,
    schema,
    write,
    meaning,
    read(given, { path, problems }) {
      const value = parse(given)
      if (value === undefined) problems.push({ field: path || 'value', code: 'invalid', message: `must be ${accepts}` })
      return value as T
    }
  }
}

/** The same field with its value for where it is left out. */
export const withDefault = <T>(field: JsonField<T>, value: NoInfer<T>): JsonField<T> => ({
  ...field,
  otherwise: { value }
})

/** The same field with what it means. */
export const meaning = <T>(text: string, field: JsonField<T>): JsonField<T> => ({ ...field, meaning: text })
