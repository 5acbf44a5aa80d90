import { Type } from 'typebox'

/**
 * White space, for a class of a pattern that is published: what JavaScript calls so, in characters, since the \\s of other
 * engines has others.
 */
export const WHITE_SPACE = '\\x09-\\x0d \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff'

/** A text of a request that says something: 1 to `maxLength` characters, not only white space. */
export const notBlank = (maxLength: number, more: { meaning: string; examples: [string] }) =>
  Type.String({
    minLength: 1,
    maxLength,
    pattern: `[^${WHITE_SPACE}]`,
    description: `a text of 1 to ${maxLength} characters that is not blank`,
    ...more
  })
