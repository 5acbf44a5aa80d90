import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type TSchema, Type } from 'typebox'
import { exampleOf } from '#resources'
import { BUDGETS } from '../rate-limits/budgets.ts'
import { Envelope, PagingFields } from '../rest/envelope.ts'
import { IsoDate } from '../shared/dates.ts'
import { createPublisher } from '../shared/json-schema.ts'
import { OrNull } from '../shared/response-fields.ts'
import type { DocumentedRoute } from './document-types.ts'
import { restDocument } from './rest-document.ts'

const Thing = Type.Object(
  { id: Type.String({ description: 'An id' }) },
  { title: 'Thing', description: 'A thing.', examples: [{ id: 'thing_1' }] }
)

const aRoute = (given: Partial<DocumentedRoute> = {}): DocumentedRoute => ({
  method: 'POST',
  url: '/v1/members/:member_id/things',
  config: { allow: 'write:members' },
  ...given,
  schema: {
    operationId: 'makeThing',
    summary: 'Make a thing',
    description: 'Makes it.',
    params: Type.Object({ member_id: Type.String({ description: 'a member id', examples: ['mem_24'] }) }),
    body: Type.Object({ on: IsoDate('When to make it') }),
    response: { 200: Envelope(Thing) },
    ...given.schema
  }
})
const operationOf = (given: Partial<DocumentedRoute> = {}) =>
  Object.values(restDocument([aRoute(given)], BUDGETS).paths)[0]!

test('a route becomes an operation: what it takes, what it answers, its scope and its examples', () => {
  const { post } = operationOf({ schema: { responseExample: { id: 'thing_2' } } })
  const { operationId, tags, security, parameters, requestBody, responses } = post!
  assert.deepEqual([operationId, tags, security], ['makeThing', ['Members'], [{ apiKey: ['write:members'] }]])
  assert.equal(post!.description, 'Makes it.\n\nRequires the scope `write:members`.')
  assert.deepEqual(parameters, [
    {
      name: 'member_id',
      in: 'path',
      required: true,
      description: 'Must be a member id.',
      schema: { type: 'string' },
      example: 'mem_24'
    },
    { $ref: '#/components/parameters/IdempotencyKey' }
  ])
  assert.deepEqual(requestBody!.content['application/json'], {
    schema: {
      type: 'object',
      properties: {
        on: {
          description:
            'When to make it. Must be an ISO date from 0001-01-01 to 9999-12-31, or a date-time such as 2026-01-31T12:00:00Z.',
          examples: ['2026-01-31'],
          anyOf: [{ type: 'string', format: 'date' }, { type: 'string', format: 'date-time' }, { type: 'null' }]
        }
      },
      additionalProperties: false
    },
    example: { on: '2026-01-31' }
  })
  assert.deepEqual(Object.keys(responses), ['200', '400', '401', '403', '404', '429', '500', '503'])
  const response = responses[200] as { content: { 'application/json': { schema: unknown; example: unknown } } }
  assert.deepEqual(response.content['application/json'], {
    schema: {
      type: 'object',
      required: ['data', 'meta'],
      properties: { data: { $ref: '#/components/schemas/Thing' }, meta: { $ref: '#/components/schemas/Meta' } }
    },
    example: { data: { id: 'thing_2' }, meta: { total: 1, limit: 1, offset: 0, has_more: false } }
  })
})

test('operations are in the order of tags, then paths, then methods, however they are registered', () => {
  const inOrder = [
    'GET /v1/members',
    'POST /v1/members',
    'GET /v1/members/:member_id',
    'PATCH /v1/members/:member_id',
    'DELETE /v1/members/:member_id',
    'POST /v1/members/:member_id/things',
    'GET /v1/members/things',
    'GET /v1/subscriptions/:member_id',
    'GET /v1/analytics/overview'
  ]
  const routes = inOrder
    .map((name) => name.split(' ') as [string, string])
    .map(([method, url]) => aRoute({ method, url }))
  for (const registered of [routes, routes.toReversed()]) {
    const { paths } = restDocument(registered, BUDGETS)
    const listed = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} /v1${path.replace(/{(\w+)}/g, ':$1')}`)
    )
    assert.deepEqual(listed, inOrder)
  }
})

test('a list: a page of examples, and no 404', () => {
  const { get } = operationOf({
    method: 'GET',
    url: '/v1/members',
    schema: {
      params: undefined,
      body: undefined,
      querystring: Type.Object(PagingFields),
      response: { 200: Envelope(Type.Array(Thing)) }
    }
  })
  assert.deepEqual(Object.keys(get!.responses), ['200', '400', '401', '403', '429', '500', '503'])
  assert.deepEqual((get!.responses[200] as { content: { 'application/json': { example: unknown } } }).content, {
    'application/json': {
      schema: {
        type: 'object',
        required: ['data', 'meta'],
        properties: {
          data: { type: 'array', items: { $ref: '#/components/schemas/Thing' } },
          meta: { $ref: '#/components/schemas/Meta' }
        }
      },
      example: { data: [{ id: 'thing_1' }], meta: { total: 1, limit: 50, offset: 0, has_more: false } }
    }
  })
})

for (const [missing, given] of [
  ['operationId, summary or description', { schema: { operationId: undefined } }],
  ['operationId, summary or description', { schema: { summary: undefined } }],
  ['operationId, summary or description', { schema: { description: undefined } }],
  ['config.allow', { config: {} }],
  ['schema of its response', { schema: { response: {} } }],
  ['tag', { url: '/v1/nothing/:member_id' }],
  ['example', { schema: { body: Type.Object({ a: Type.String({ description: 'a text' }) }) } }],
  ['example', { schema: { params: Type.Object({ member_id: Type.String({ description: 'an id' }) }) } }],
  ['example', { schema: { response: { 200: Envelope(Type.Object({ a: Type.String({ description: 'A' }) })) } } }]
] as [string, Partial<DocumentedRoute>][]) {
  test(`a route without ${missing} cannot be documented: ${JSON.stringify(given).slice(0, 60)}`, () => {
    assert.throws(() => operationOf(given), new RegExp(`no ${missing}`))
  })
}

for (const [name, schema, forRequest, forResponse] of [
  [
    'literals are an enum',
    Type.Union([Type.Literal('a'), Type.Literal('b')]),
    { type: 'string', enum: ['a', 'b'] },
    { type: 'string', enum: ['a', 'b'] }
  ],
  [
    'literals or null',
    OrNull(Type.Union([Type.Literal('a'), Type.Literal('b')])),
    { type: ['string', 'null'], enum: ['a', 'b', null] },
    { type: ['string', 'null'], enum: ['a', 'b', null] }
  ],
  [
    'a text or null',
    OrNull(Type.String({ format: 'date' })),
    { type: ['string', 'null'], format: 'date' },
    { type: ['string', 'null'], format: 'date' }
  ],
  [
    'a named object or null',
    OrNull(Thing),
    { anyOf: [{ $ref: '#/components/schemas/Thing' }, { type: 'null' }] },
    { anyOf: [{ $ref: '#/components/schemas/Thing' }, { type: 'null' }] }
  ],
  [
    'objects are closed in requests and open in answers',
    Type.Object({ a: Type.String() }, { additionalProperties: false }),
    { type: 'object', required: ['a'], properties: { a: { type: 'string' } }, additionalProperties: false },
    { type: 'object', required: ['a'], properties: { a: { type: 'string' } } }
  ]
] as [string, TSchema, unknown, unknown][]) {
  test(`published schemas: ${name}`, () => {
    assert.deepEqual(createPublisher().forRequest(schema), forRequest)
    assert.deepEqual(createPublisher().forResponse(schema), forResponse)
  })
}

test('two schemas of one name are refused', () => {
  const { forResponse } = createPublisher()
  forResponse(Thing)
  forResponse(Thing)
  assert.throws(() => forResponse(Type.Object({}, { title: 'Thing' })), /Two schemas have the title Thing/)
})

test('an example follows from the parts of a schema', () => {
  const part = Type.String({ examples: ['x', 'y'] })
  const schema = Type.Object({ a: part, b: Type.Array(part), c: Type.Null(), d: OrNull(part), e: Type.Literal('l') })
  assert.deepEqual(exampleOf(schema), { a: 'x', b: ['x'], c: null, d: 'x', e: 'l' })
  assert.throws(() => exampleOf(Type.Object({ a: Type.Integer() })), /no example of the schema\.a/)
})
