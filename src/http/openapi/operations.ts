import { exampleOf } from '#resources'
import { IdempotencyKey } from '../shared/idempotency.ts'
import type { createPublisher, JsonSchema } from '../shared/json-schema.ts'
import { answered, type OperationResponse, refusalsOf } from './responses.ts'
import type { Route } from './route.ts'

export type Parameter = {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description?: string
  schema: JsonSchema
  example?: unknown
}

export type Operation = {
  operationId: string
  summary: string
  description: string
  tags: string[]
  security: Record<string, string[]>[]
  'x-required-scope'?: string
  parameters?: (Parameter | { $ref: string })[]
  requestBody?: {
    required: boolean
    description?: string
    content: { 'application/json': { schema: JsonSchema; example: unknown } }
  }
  responses: Record<string, OperationResponse | { $ref: string }>
}

type Publisher = ReturnType<typeof createPublisher>

/** The first part of a path says what its operations are about. */
export const TAGS: Record<string, { name: string; description: string }> = {
  members: { name: 'Members', description: 'People who hold or held a membership or a subscription.' },
  subscriptions: { name: 'Subscriptions', description: 'What is billed on a schedule, and its lifecycle.' },
  'billing-attempts': { name: 'Billing attempts', description: 'Each try to charge one cycle.' },
  'store-credits': { name: 'Store credits', description: "A customer's balance of store credit and its ledger." },
  analytics: { name: 'Analytics', description: 'Aggregate figures of the store.' }
}

/** What takes effect may be repeated safely; the header is read in one place for all of them. */
export const IDEMPOTENCY_KEY: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes a repetition safe: within 24 hours the same key with the same request gets the first answer again, and with another request 400. Visible ASCII without spaces, a fresh UUID for instance.',
  schema: IdempotencyKey,
  example: '8e03978e-40d5-43e8-bc93-6894a57f9324'
}

/** The paths of the document from routes, without their common `prefix`. */
export function pathsOf(
  routes: Route[],
  prefix: string,
  publisher: Publisher
): Record<string, Record<string, Operation>> {
  const paths: Record<string, Record<string, Operation>> = {}
  for (const route of routes) {
    const path = route.url.slice(prefix.length).replace(/:(\w+)/g, '{$1}')
    paths[path] ??= {}
    paths[path][String(route.method).toLowerCase()] = operationOf(route, path, publisher)
  }
  return paths
}

/** Refuses a route that does not tell what a reader or a client needs. */
function operationOf(route: Route, path: string, publisher: Publisher): Operation {
  const { operationId, summary, description, params, querystring, body, responseExample, response } = route.schema ?? {}
  const scope = route.config?.scope
  const tag = TAGS[path.split('/')[1] ?? '']
  const success = (response as Record<string, JsonSchema> | undefined)?.['200']
  const name = `${route.method} ${route.url}`
  if (!operationId || !summary || !description) throw incomplete(name, 'operationId, summary or description')
  if (!scope) throw incomplete(name, 'scope')
  if (!success) throw incomplete(name, 'schema of its answer')
  if (!tag) throw incomplete(name, 'tag')

  const isRead = route.method === 'GET'
  const taken = [
    ...parametersOf(params as JsonSchema, 'path', publisher),
    ...parametersOf(querystring as JsonSchema, 'query', publisher),
    ...(isRead ? [] : [{ $ref: '#/components/parameters/IdempotencyKey' }])
  ]
  return {
    operationId,
    summary,
    description: `${description}\n\nNeeds the scope \`${scope}\`.`,
    tags: [tag.name],
    security: [{ apiKey: [scope] }],
    'x-required-scope': scope,
    ...(taken.length > 0 && { parameters: taken }),
    ...(body !== undefined && { requestBody: bodyOf(body as JsonSchema, String(route.method), publisher) }),
    responses: {
      200: answered(success, publisher.answered, {
        changes: responseExample,
        headers: isRead ? [] : ['Idempotent-Replayed']
      }),
      ...refusalsOf({ namesObject: params !== undefined })
    }
  }
}

const incomplete = (name: string, what: string) =>
  new Error(`${name} has no ${what} (ARCHITECTURE.md, How to add a route)`)

function parametersOf(schema: JsonSchema | undefined, place: 'path' | 'query', { asked }: Publisher): Parameter[] {
  return Object.entries(schema?.properties ?? {}).map(([name, field]) => {
    const { description, examples: _, ...shape } = asked(field)
    const required = place === 'path' || (schema?.required?.includes(name) ?? false)
    return { name, in: place, required, description, schema: shape, example: exampleOf(field, name) }
  })
}

function bodyOf(schema: JsonSchema, method: string, { asked }: Publisher): NonNullable<Operation['requestBody']> {
  const required = Math.max(schema.required?.length ?? 0, schema.minProperties ?? 0) > 0
  return {
    required,
    description: required ? undefined : 'It may be left out.',
    content: {
      'application/json': { schema: asked(method === 'POST' ? withNulls(schema) : schema), example: exampleOf(schema) }
    }
  }
}

/** A field that may be left out may be null instead, as `compileValidator` takes it. */
function withNulls(schema: JsonSchema): JsonSchema {
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const { description, meaning } = field
    const orNull = { description, meaning, anyOf: [field, { type: 'null' }] }
    return [name, schema.required?.includes(name) ? field : orNull] as const
  })
  return { ...schema, properties: Object.fromEntries(fields) }
}
