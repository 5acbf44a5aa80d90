import { Type } from 'typebox'
import { Refusal } from '#kit/refusal'
import { exampleOf } from '#resources'
import { pagingOf } from '../rest/envelope.ts'
import { errorBody, statusOf } from '../shared/error-body.ts'
import { RateLimited } from '../shared/errors.ts'
import type { JsonSchema } from '../shared/json-schema.ts'

type Header = { description: string; schema: JsonSchema; example?: unknown }
type Reference = { $ref: string }
type Content = { 'application/json': { schema: JsonSchema; example: unknown } }
export type OperationResponse = { description: string; headers?: Record<string, Header | Reference>; content?: Content }

const ErrorBody = Type.Object(
  {
    error: Type.Object({
      code: Type.Union(
        [
          Type.Literal('invalid_request'),
          Type.Literal('authentication_failed'),
          Type.Literal('forbidden'),
          Type.Literal('not_found'),
          Type.Literal('rate_limited'),
          Type.Literal('internal_error')
        ],
        { description: 'What to branch on' }
      ),
      message: Type.String({ description: 'What is wrong, for people; it may change' }),
      details: Type.Optional(
        Type.Array(
          Type.Object({
            field: Type.String({ description: 'The parameter, field or header' }),
            message: Type.String({ description: 'What it takes' })
          }),
          { description: 'Each thing that is wrong, when it is more than one' }
        )
      )
    })
  },
  { title: 'Error', description: 'Why there is no answer.', examples: [errorBody(new RateLimited())] }
)

/** Every way in which the direct API says no, with an answer that it really gives. */
const REFUSED: Record<string, { meaning: string; refusal: Refusal | RateLimited | null }> = {
  InvalidRequest: {
    meaning:
      'The request is malformed, or what it asks for cannot be done. The message names the field and what it takes.',
    refusal: new Refusal('invalid_request', 'limit takes an integer from 1 to 100; stat is not a parameter here', [
      { field: 'limit', message: 'takes an integer from 1 to 100' },
      { field: 'stat', message: 'is not a parameter here' }
    ])
  },
  AuthenticationFailed: {
    meaning: 'There is no key, or it is not valid (any more).',
    refusal: new Refusal('authentication_failed', 'A valid API key is needed')
  },
  Forbidden: {
    meaning: 'The key lacks the scope that the message names.',
    refusal: new Refusal('forbidden', 'This key lacks the scope read:members')
  },
  NotFound: {
    meaning: 'There is no such object in the store of the key, or no such path or method.',
    refusal: new Refusal('not_found', 'There is no member mem_999')
  },
  RateLimited: {
    meaning: 'The budget of a window is used up.',
    refusal: new RateLimited()
  },
  InternalError: {
    meaning: 'Something went wrong on our side. It is in the log under the `X-Request-Id`.',
    refusal: null
  }
}

const integer = (description: string, example: number): Header => ({
  description,
  schema: { type: 'integer' },
  example
})

export const HEADERS: Record<string, Header> = {
  'X-Request-Id': {
    description: 'Names this answer; quote it when you ask the operator about it.',
    schema: { type: 'string', format: 'uuid' },
    example: '0b57b2ad-7204-43db-925f-2f75d8eb0e85'
  },
  'X-RateLimit-Limit': integer('The requests of the window that has fewer left: the minute or the day.', 120),
  'X-RateLimit-Remaining': integer('The requests that are left in it.', 119),
  'X-RateLimit-Reset': integer('When it ends, in Unix seconds.', 1_797_315_960),
  'Retry-After': integer('The seconds to wait.', 42),
  'Idempotent-Replayed': {
    description: 'Only on an answer that was kept under the `Idempotency-Key`: nothing was done again.',
    schema: { type: 'string', enum: ['true'] },
    example: 'true'
  },
  'WWW-Authenticate': { description: 'How to authenticate.', schema: { type: 'string' }, example: 'Bearer' }
}

const ON_EVERY_RESPONSE = ['X-Request-Id', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']
const ON_ERRORS: Record<string, string[]> = {
  RateLimited: ['Retry-After'],
  AuthenticationFailed: ['WWW-Authenticate']
}

function headersOf(extra: string[] = []): Record<string, Reference> {
  const names = [...ON_EVERY_RESPONSE, ...extra]
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

/** The refusals as components, by name. */
export function errorResponses(publish: (schema: JsonSchema) => JsonSchema): Record<string, OperationResponse> {
  return Object.fromEntries(
    Object.entries(REFUSED).map(([name, { meaning, refusal }]) => [
      name,
      {
        description: meaning,
        headers: headersOf(ON_ERRORS[name]),
        content: { 'application/json': { schema: publish(ErrorBody), example: errorBody(refusal) } }
      }
    ])
  )
}

/** Which of them an operation gives, by status. Only what names an object can be unknown. */
export function refusalsOf({ namesObject }: { namesObject: boolean }): Record<string, Reference> {
  return Object.fromEntries(
    Object.entries(REFUSED)
      .filter(([name]) => namesObject || name !== 'NotFound')
      .map(([name, { refusal }]) => [String(statusOf(refusal)), { $ref: `#/components/responses/${name}` }])
  )
}

/** `data` and `meta`, shown by the example of the schema and what the operation makes of it. */
export function answered(
  schema: JsonSchema,
  publish: (schema: JsonSchema) => JsonSchema,
  { changes, headers }: { changes?: Record<string, unknown>; headers: string[] }
): OperationResponse {
  const { data = {} } = schema.properties ?? {}
  const { data: shown, meta: single } = exampleOf(schema) as { data: unknown; meta: object }
  const meta = data.items ? { ...single, ...pagingOf({}) } : single
  const example = changes ? { data: { ...(shown as object), ...changes }, meta } : { data: shown, meta }
  const name = (data.items ?? data).title ?? 'object'
  return {
    description: data.items ? `A page of the list; \`data\` holds each ${name}.` : `\`data\` is the ${name}.`,
    headers: headersOf(headers),
    content: { 'application/json': { schema: publish(schema), example } }
  }
}
