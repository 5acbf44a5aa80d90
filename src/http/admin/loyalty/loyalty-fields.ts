import { type TSchema, Type } from 'typebox'
import type { Refusal } from '#kit/refusal'
import { StoreParams } from '../store.ts'

/** The path of one rule, tier or template. */
export const loyaltyParams = <const Name extends string>(name: Name, what: string) =>
  Type.Object({
    ...StoreParams.properties,
    [name]: Type.String({ description: `the number of a ${what}`, examples: ['12'] })
  } as typeof StoreParams.properties & Record<Name, ReturnType<typeof Type.String>>)

/** The number that a path names. */
export function loyaltyIdOf(given: string, notFound: (id: string) => Refusal): number {
  if (!/^[1-9]\d{0,14}$/.test(given)) throw notFound(given)
  return Number(given)
}

/** What the type or the module checks key by key; refusals name each by its path. */
export const jsonObject = (description: string, meaning: string, example: object) =>
  Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    description,
    meaning,
    examples: [example]
  })

export const jsonValue = (description: string) =>
  Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true, description })

export const longText = (meaning: string, example: string) =>
  Type.Optional(
    Type.String({ maxLength: 1000, description: 'a text of at most 1000 characters', meaning, examples: [example] })
  )

/** A number that is also accepted as a text, as everywhere in loyalty. */
export const decimal = (description: string, meaning: string, example: number) =>
  Type.Union([Type.String({ maxLength: 30, pattern: '^[0-9]+(?:[.][0-9]+)?$' }), Type.Number()], {
    description,
    meaning,
    examples: [example]
  })

const DAY = 'a day from 2000-01-01 to 2999-12-31, such as 2026-11-27'
const day = (about: object = {}) =>
  Type.Refine(Type.String({ pattern: '^2[0-9]{3}-[0-9]{2}-[0-9]{2}$', ...about }), (text) => dayOf(text) !== null)

export const dayField = (meaning: string, example: string) =>
  Type.Optional(day({ description: DAY, meaning, examples: [example] }))

export const dayOrNullField = (meaning: string, example: string) =>
  Type.Optional(Type.Union([day(), Type.Null()], { description: `${DAY}, or null`, meaning, examples: [example] }))

export function dayOf(text: string): Temporal.PlainDate | null {
  try {
    return Temporal.PlainDate.from(text)
  } catch {
    return null
  }
}

/** A body of a PATCH: any of these. */
export const anyOf = <P extends Record<string, TSchema>>(fields: P) => Type.Partial(Type.Object(fields))
