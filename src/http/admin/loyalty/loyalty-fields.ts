import { Type } from 'typebox'

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
