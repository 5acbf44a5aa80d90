import { Type } from 'typebox'

/** The token of a one-time link. */
export const TokenField = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'the token of a link',
  meaning: 'From the link that an owner has made',
  examples: ['3kGfXz4Vq8t2n5s7v9y0B1E3H6K8N2Q4T7W9Z1c4f6I']
})
