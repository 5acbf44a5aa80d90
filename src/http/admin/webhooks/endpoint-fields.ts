import { Type } from 'typebox'
import { text } from '../fields.ts'
import { StoreParams } from '../store.ts'

/** Names a webhook endpoint of a store in a path. */
export const EndpointParams = Type.Object({
  ...StoreParams.properties,
  endpoint: Type.String({ description: 'a webhook endpoint id such as we_2', examples: ['we_2'] })
})

export const url = () =>
  text(2048, 'the https address of the receiver, of at most 2,048 characters', {
    examples: ['https://example.com/hooks']
  })

export const description = () =>
  Type.String({
    maxLength: 500,
    description: 'a text of at most 500 characters',
    meaning: 'What lists say about it',
    examples: ['CRM']
  })
