import { Type } from 'typebox'
import { invalidField, Refusal } from '#kit/refusal'
import { exampleOf } from '#resources'
import { errorBody, statusOf } from '../storefront/collection/errors.ts'
import { STOREFRONT_PREFIX } from '../storefront/index.ts'
import { EXPORT_ERRORS, EXPORT_HEADERS, KEY_AND_PROXY } from './data-document.ts'
import { surfaceDocument } from './document.ts'
import type { DocumentDialect, DocumentedRoute, OpenApiDocument } from './document-types.ts'

const noTopic = invalidField(
  'topic',
  'must be one of member, store_credit_history, activity_log_m, subscription_contract'
)

const CollectionError = Type.Object(
  { error: Type.String({ description: 'What is wrong, for people; the text may change' }) },
  { title: 'Error', description: 'Why the request failed.', examples: [errorBody(noTopic)] }
)

const DIALECT: DocumentDialect = {
  prefix: STOREFRONT_PREFIX,
  has: (path) => path.startsWith('/collection'),
  info: {
    title: 'Perennial Collection API',
    summary: 'Dumps of a store. Deprecated: the Data API replaces it.',
    description:
      "Requests go to the shop's domain, and the platform's app proxy signs them. Every response has `Deprecation`. A dump that ends early is broken off: it is never complete JSON."
  },
  tags: { collection: { name: 'Collection API', description: 'Deprecated dumps of a store.' } },
  tagOf: () => 'collection',
  ...KEY_AND_PROXY,
  isIdempotent: () => false,
  headersOfEveryResponse: ['X-Request-Id', 'Deprecation', 'Link'],
  headers: {
    ...EXPORT_HEADERS,
    Deprecation: {
      description: 'Since when this API is deprecated (RFC 9745).',
      schema: { type: 'string' },
      example: '@1767225600'
    },
    Link: {
      description: 'Where the API is that replaces it.',
      schema: { type: 'string' },
      example: '</apps/svc-api/v1/data>; rel="successor-version"'
    }
  },
  errors: {
    ...EXPORT_ERRORS,
    AuthenticationFailed: {
      ...EXPORT_ERRORS.AuthenticationFailed,
      meaning:
        'The key is not valid or belongs to another store, or the app proxy of the shop did not sign the request.'
    },
    InvalidRequest: { meaning: 'The key is missing, or there is no such topic.', refusal: noTopic },
    NotFound: {
      meaning: 'The shop is not known, or the topic has no records.',
      refusal: new Refusal('not_found', 'There are no records of member')
    }
  },
  errorSchema: CollectionError,
  wordErrors: { statusOf, errorBody },
  successOf: (schema) => ({ description: schema.description ?? 'Done.', example: exampleOf(schema) })
}

/** The document of the Collection API, made from its route. */
export const collectionDocument = (routes: DocumentedRoute[]): OpenApiDocument => surfaceDocument(routes, DIALECT)
