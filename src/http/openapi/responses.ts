import { type TSchema, Type } from 'typebox'
import { PROBLEM_CODES } from '#kit/refusal'
import { tooBusy } from '../shared/errors.ts'
import type { JsonSchema } from '../shared/json-schema.ts'
import type {
  DocumentDialect,
  DocumentedRoute,
  ErrorKind,
  Header,
  OperationResponse,
  Reference
} from './document-types.ts'

const integer = (description: string, example: number): Header => ({
  description,
  schema: { type: 'integer' },
  example
})

/** Every header that responses of any surface have. */
export const HEADERS = {
  'X-Request-Id': {
    description: 'Identifies this response; quote it when you contact the operator.',
    schema: { type: 'string', format: 'uuid' },
    example: '0b57b2ad-7204-43db-925f-2f75d8eb0e85'
  },
  'X-RateLimit-Limit': integer(
    'Maximum number of requests in the current window: the minute or the day, whichever has fewer left.',
    120
  ),
  'X-RateLimit-Remaining': integer('Number of requests left in the window.', 119),
  'X-RateLimit-Reset': integer('When the window ends, in Unix seconds.', 1_797_315_960),
  'Retry-After': integer('Seconds to wait before the next request.', 42),
  'Idempotent-Replayed': {
    description: 'Only present when the response is replayed for the `Idempotency-Key`: nothing was done again.',
    schema: { type: 'string', enum: ['true'] },
    example: 'true'
  },
  'WWW-Authenticate': { description: 'How to authenticate.', schema: { type: 'string' }, example: 'Bearer' }
} satisfies Record<string, Header>

export const RATE_LIMIT_HEADERS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']

/** How every surface refuses a request for which the service is too busy. */
export const TOO_BUSY: ErrorKind = {
  meaning:
    'The service is too busy, and nothing was changed; or its database does not respond, and whether a write was carried out is not known: the message says which. `Retry-After` says when to repeat the request, a write with its `Idempotency-Key`.',
  refusal: tooBusy(),
  headers: ['Retry-After']
}

export function headerReferences(
  { headersOfEveryResponse }: DocumentDialect,
  more: string[] = []
): Record<string, Reference> {
  const names = [...headersOfEveryResponse, ...more]
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

/** The error body `{error: {code, message, details?}}`, whose codes are those of the surface. */
export const codedError = (codes: string[], example: object): TSchema =>
  Type.Object(
    {
      error: Type.Object({
        code: Type.Union(
          codes.map((code) => Type.Literal(code)),
          { description: 'The error code, for programs' }
        ),
        message: Type.String({ description: 'What is wrong, for people; the text may change' }),
        details: Type.Optional(
          Type.Array(
            Type.Object({
              field: Type.String({
                description:
                  'The parameter of the path or query, the field of the body, or the header; `body` for all of it'
              }),
              code: Type.Union(
                Object.keys(PROBLEM_CODES).map((code) => Type.Literal(code)),
                {
                  description: `What is wrong, for programs. ${Object.entries(PROBLEM_CODES)
                    .map(([code, meaning]) => `\`${code}\`: ${meaning}`)
                    .join('; ')}`
                }
              ),
              message: Type.String({ description: 'What is wrong with it, for people' })
            }),
            { description: 'Each field at fault; absent when no field is' }
          )
        )
      })
    },
    { title: 'Error', description: 'Why the request failed.', examples: [example] }
  )

/** The errors of a surface as components, by name. */
export function errorResponses(
  dialect: DocumentDialect,
  publish: (schema: JsonSchema) => JsonSchema
): Record<string, OperationResponse> {
  return Object.fromEntries(
    Object.entries(dialect.errors).map(([name, { meaning, refusal, headers }]) => [
      name,
      {
        description: meaning,
        headers: headerReferences(dialect, headers),
        content: {
          'application/json': { schema: publish(dialect.errorSchema), example: dialect.wordErrors.errorBody(refusal) }
        }
      }
    ])
  )
}

/** The errors that an operation can answer with, by status. */
export function errorReferences(route: DocumentedRoute, dialect: DocumentDialect): Record<string, Reference> {
  const all = Object.entries(dialect.errors).filter(([, { isFor }]) => isFor?.(route) ?? true)
  return Object.fromEntries(
    all.map(([name, { refusal }]) => [
      String(dialect.wordErrors.statusOf(refusal)),
      { $ref: `#/components/responses/${name}` }
    ])
  )
}

/** Only a path that names an object can name one that is not there. */
export const namesObject = ({ schema }: DocumentedRoute): boolean => schema?.params !== undefined
