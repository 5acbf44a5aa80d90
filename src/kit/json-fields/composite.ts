import type { FieldProblem } from '../refusal.ts'
import type { Found, JsonField, ValueOf } from './field.ts'
import { isBigInteger } from './json-text.ts'

export type ObjectShape = { readonly [name: string]: JsonField<unknown> }
export type ObjectValue<S extends ObjectShape> = { -readonly [K in keyof S]: ValueOf<S[K]> }
export type ObjectField<S extends ObjectShape> = JsonField<ObjectValue<S>> & { shape: S }

const problem = (field: string, code: FieldProblem['code'], message: string): FieldProblem => ({ field, code, message })

/** An object with these fields and no others. */
export function objectOf<const S extends ObjectShape>(shape: S): ObjectField<S> {
  const names = Object.keys(shape)
  const accepts = `an object with ${names.join(', ')}`
  return {
    shape,
    accepts,
    meaning: '',
    schema: {
      type: 'object',
      properties: Object.fromEntries(
        Object.entries(shape).map(([name, field]) => [
          name,
          field.meaning === '' ? field.schema : { ...field.schema, description: field.meaning }
        ])
      ),
      required: names.filter((name) => !shape[name]!.otherwise),
      additionalProperties: false
    },
    write: (value) =>
      Object.fromEntries(
        names.flatMap((name) => {
          const written = shape[name]!.write(value[name as keyof S])
          return written === undefined ? [] : [[name, written]]
        })
      ),
    read(given, { path, problems, readKey }) {
      const inner = (name: string) => (path === '' ? name : `${path}.${name}`)
      if (!isObject(given)) {
        problems.push(problem(path || 'value', 'invalid', `must be ${accepts}`))
        return {} as ObjectValue<S>
      }
      for (const name of Object.keys(given).filter((one) => !Object.hasOwn(shape, one))) {
        problems.push(
          problem(
            inner(name).slice(0, 200),
            'unknown',
            `is not a field here, which are ${[...(readKey ? [readKey] : []), ...names].join(', ')}`
          )
        )
      }
      return Object.fromEntries(
        names.map((name) => {
          const field = shape[name]!
          if (Object.hasOwn(given, name)) return [name, field.read(given[name], { path: inner(name), problems })]
          if (!field.otherwise)
            problems.push(problem(inner(name), 'required', `is missing; it must be ${field.accepts}`))
          return [name, field.otherwise?.value]
        })
      ) as ObjectValue<S>
    }
  }
}

/**
 * The same object with a rule about its fields together, which is asked when each of them is accepted. The rule says what is wrong, by
 * field.
 */
export const withRule = <S extends ObjectShape>(
  object: ObjectField<S>,
  problemsOf: (value: ObjectValue<S>) => { field: string; message: string }[]
): ObjectField<S> => ({
  ...object,
  read(given, found) {
    const before = found.problems.length
    const value = object.read(given, found)
    if (found.problems.length > before) return value
    const prefix = found.path === '' ? '' : `${found.path}.`
    for (const { field, message } of problemsOf(value)) {
      found.problems.push(problem(prefix + field, 'invalid', message))
    }
    return value
  }
})

/** A list of at most so many; without a number, of as many as there are. */
export function listOf<T>(of: JsonField<T>, max?: number): JsonField<T[]> {
  const accepts = max === undefined ? `a list, each ${of.accepts}` : `a list of at most ${max}, each ${of.accepts}`
  return {
    accepts,
    meaning: '',
    schema: { type: 'array', items: of.schema, ...(max !== undefined && { maxItems: max }) },
    write: (values) => values.map((value) => of.write(value)),
    read(given, { path, problems }: Found) {
      if (Array.isArray(given) && given.length <= (max ?? Number.POSITIVE_INFINITY)) {
        return given.map((one, i) => of.read(one, { path: `${path}[${i}]`, problems }))
      }
      problems.push(problem(path || 'value', 'invalid', `must be ${accepts}`))
      return []
    }
  }
}

/** Words with commas between them, without spaces: "DE,AT". "" is none. */
export function commaList(of: JsonField<string>, max: number): JsonField<string[]> {
  const accepts = `at most ${max} with commas between them, each ${of.accepts}; "" for none`
  return {
    accepts,
    meaning: '',
    schema: { type: 'string' },
    write: (values) => values.map((value) => of.write(value)).join(','),
    read(given, { path, problems }) {
      const parts = Array.isArray(given)
        ? given
        : typeof given === 'string'
          ? given.split(',').map((one) => one.trim())
          : null
      const words = parts?.filter((one) => one !== '')
      if (words && words.length <= max) return words.map((one) => of.read(one, { path, problems }))
      problems.push(problem(path || 'value', 'invalid', `must be ${accepts}`))
      return []
    }
  }
}

/** The value, or "" where there is none. */
export const orEmpty = <T>(of: JsonField<T>): JsonField<T | null> => ({
  ...of,
  accepts: `${of.accepts}, or ""`,
  schema: { anyOf: [of.schema, { const: '' }] },
  write: (value) => (value === null ? '' : of.write(value)),
  read: (given, found) => (given === '' || given === null ? null : of.read(given, found)),
  otherwise: { value: null }
})

/** The value, or null. */
export function orNull<T>(of: JsonField<T>): JsonField<T | null> {
  const accepts = `${of.accepts}, or null`
  return {
    ...of,
    accepts,
    schema: { anyOf: [of.schema, { type: 'null' }] },
    write: (value) => (value === null ? null : of.write(value)),
    read(given, { path, problems }) {
      if (given === null) return null
      const inside: FieldProblem[] = []
      const value = of.read(given, { path, problems: inside })
      for (const one of inside) {
        problems.push(one.message === `must be ${of.accepts}` ? { ...one, message: `must be ${accepts}` } : one)
      }
      return value
    },
    otherwise: { value: null }
  }
}

/** Whatever JSON object it is: its parts are checked by the one who fills it. */
export const anyObject = (): JsonField<Record<string, unknown>> => ({
  accepts: 'an object',
  meaning: '',
  schema: { type: 'object' },
  write: (value) => value,
  read(given, { path, problems }) {
    if (isObject(given)) return given
    problems.push(problem(path || 'value', 'invalid', 'must be an object'))
    return {}
  }
})

/** One of several objects, told apart by the word in one of their fields. */
export function variants<const V extends { readonly [word: string]: ObjectField<ObjectShape> }>(
  by: string,
  objects: V
): JsonField<{ [W in keyof V]: { type: W } & ValueOf<V[W]> }[keyof V]> {
  const words = Object.keys(objects)
  const accepts = `an object whose ${by} is ${words.join(', ')}`
  type Value = { [W in keyof V]: { type: W } & ValueOf<V[W]> }[keyof V]
  return {
    accepts,
    meaning: '',
    schema: {
      anyOf: words.map((word) => {
        const { properties, required, ...rest } = objects[word]!.schema as { properties: object; required: string[] }
        return { ...rest, properties: { [by]: { const: word }, ...properties }, required: [by, ...required] }
      })
    },
    write: (value) => ({ [by]: value.type, ...(objects[value.type as keyof V]!.write(value as never) as object) }),
    read(given, found) {
      if (!isObject(given)) {
        found.problems.push(problem(found.path || 'value', 'invalid', `must be ${accepts}`))
        return {} as Value
      }
      const word = words.find((one) => one === given[by])
      if (!word) {
        const path = found.path === '' ? by : `${found.path}.${by}`
        const isMissing = !Object.hasOwn(given, by)
        const must = `must be ${words.length === 1 ? words[0] : `one of ${words.join(', ')}`}`
        found.problems.push(
          isMissing ? problem(path, 'required', `is missing; it ${must}`) : problem(path, 'invalid', must)
        )
        return {} as Value
      }
      const { [by]: _, ...rest } = given
      return { type: word, ...objects[word]!.read(rest, { ...found, readKey: by }) } as Value
    }
  }
}

const isObject = (given: unknown): given is Record<string, unknown> =>
  typeof given === 'object' && given !== null && !Array.isArray(given) && !isBigInteger(given)
