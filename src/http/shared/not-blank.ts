import { Type } from 'typebox'

/** A text of a request that says something: 1 to `maxLength` characters, not only white space. */
export const notBlank = (maxLength: number, more: { meaning: string; examples: [string] }) =>
  Type.String({
    minLength: 1,
    maxLength,
    pattern: '\\S',
    description: `a text of 1 to ${maxLength} characters that is not blank`,
    ...more
  })
