import { exampleOf } from '#resources'
import { IdempotencyKey } from '../shared/idempotency.ts'
import type { createPublisher, JsonSchema } from '../shared/json-schema.ts'
import type { DocumentDialect, DocumentedRoute, MediaTypes, Operation, Parameter } from './document-types.ts'
import { errorReferences, headerReferences } from './responses.ts'

type Publisher = ReturnType<typeof createPublisher>

/** The header is read in one place for all routes that accept it. */
export const IDEMPOTENCY_KEY: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes it safe to repeat the request: within 24 hours the same key with the same request returns the first response again, and with another request 400. Visible ASCII without spaces, for example a new UUID.',
  schema: IdempotencyKey,
  example: '8e03978e-40d5-43e8-bc93-6894a57f9324'
}

/** The paths of a document from the routes of a surface, without their common prefix, in the reading order. */
export function pathsOf(
  routes: DocumentedRoute[],
  dialect: DocumentDialect,
  publisher: Publisher
): Record<string, Record<string, Operation>> {
  const paths: Record<string, Record<string, Operation>> = {}
  for (const route of inReadingOrder(routes, dialect)) {
    const path = pathOf(route, dialect)
    paths[path] ??= {}
    paths[path][String(route.method).toLowerCase()] = operationOf(route, path, dialect, publisher)
  }
  return paths
}

const pathOf = ({ url }: DocumentedRoute, { prefix }: DocumentDialect) =>
  url.slice(prefix.length).replace(/:(\w+)/g, '{$1}')

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/**
 * By tag, as the surface orders its tags; then by path, what has an id before what has a name there; then by method. The
 * order in which routes are registered says nothing.
 */
function inReadingOrder(routes: DocumentedRoute[], dialect: DocumentDialect): DocumentedRoute[] {
  const tags = Object.keys(dialect.tags)
  const tagAt = (route: DocumentedRoute) => tags.indexOf(dialect.tagOf(pathOf(route, dialect)))
  const methodAt = ({ method }: DocumentedRoute) => METHODS.indexOf(String(method))
  const byUrl = (a: DocumentedRoute, b: DocumentedRoute) => Number(a.url > b.url) - Number(a.url < b.url)
  return routes.toSorted((a, b) => tagAt(a) - tagAt(b) || byUrl(a, b) || methodAt(a) - methodAt(b))
}

/** Throws for a route that leaves out what a reader or a client needs. */
function operationOf(route: DocumentedRoute, path: string, dialect: DocumentDialect, publisher: Publisher): Operation {
  const { operationId, summary, description, params, querystring, deprecated } = route.schema ?? {}
  const allow = route.config?.allow
  const tag = dialect.tags[dialect.tagOf(path)]
  const name = `${route.method} ${route.url}`
  if (!operationId || !summary || !description) throw incomplete(name, 'operationId, summary or description')
  if (!allow) throw incomplete(name, 'config.allow')
  if (!tag) throw incomplete(name, 'tag')

  const { note, ...access } = dialect.accessOf(allow)
  const parameters = [
    ...parametersOf(params as JsonSchema, 'path', publisher),
    ...parametersOf(querystring as JsonSchema, 'query', publisher),
    ...(dialect.isIdempotent(route) ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : [])
  ]
  const requestBody = bodyOf(route, publisher)
  return {
    operationId,
    summary,
    description: note ? `${description}\n\n${note}` : description,
    tags: [tag.name],
    ...(deprecated && { deprecated }),
    ...access,
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses: { ...successesOf(route, name, dialect, publisher), ...errorReferences(route, dialect) }
  }
}

const incomplete = (name: string, what: string) =>
  new Error(`${name} has no ${what} (ARCHITECTURE.md, How to add a route)`)

function parametersOf(schema: JsonSchema | undefined, place: 'path' | 'query', { forRequest }: Publisher): Parameter[] {
  return Object.entries(schema?.properties ?? {}).map(([name, field]) => {
    const { description, examples: _, ...shape } = forRequest(field)
    const required = place === 'path' || (schema?.required?.includes(name) ?? false)
    return { name, in: place, required, description, schema: shape, example: exampleOf(field, name) }
  })
}

function bodyOf(
  { schema: { body, consumes, bodyType = 'application/json' } = {}, method }: DocumentedRoute,
  { forRequest }: Publisher
): Operation['requestBody'] {
  if (consumes) return { required: true, description: 'The file itself.', content: filesOf(consumes) }
  if (body === undefined) return undefined
  const schema = withoutRefused(body as JsonSchema)
  const required = Math.max(schema.required?.length ?? 0, schema.minProperties ?? 0) > 0
  return {
    required,
    description: required ? undefined : 'Optional.',
    content: {
      [bodyType]: {
        // A form has no nulls.
        schema: forRequest(method === 'POST' && bodyType === 'application/json' ? withNulls(schema) : schema),
        example: exampleOf(schema)
      }
    } as MediaTypes
  }
}

const filesOf = (types: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(types).map(([type, example]) => [type, { schema: { type: 'string' }, example }])
  ) as MediaTypes

/** Fields that accept nothing are declared for their refusal alone. */
function withoutRefused(schema: JsonSchema): JsonSchema {
  const fields = Object.entries(schema.properties ?? {}).filter(([, field]) => field.not === undefined)
  return { ...schema, properties: Object.fromEntries(fields) }
}

/** A field that may be left out may be null instead, as `compileValidator` reads it. */
function withNulls(schema: JsonSchema): JsonSchema {
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const { description, meaning } = field
    const orNull = { description, meaning, anyOf: [field, { type: 'null' }] }
    return [name, schema.required?.includes(name) ? field : orNull] as const
  })
  return { ...schema, properties: Object.fromEntries(fields) }
}

/** The responses that the route declares, by status. */
function successesOf(
  route: DocumentedRoute,
  name: string,
  dialect: DocumentDialect,
  { forResponse }: Publisher
): Operation['responses'] {
  const { response, responseExample, produces = ['application/json'] } = route.schema ?? {}
  const declared = Object.entries((response ?? {}) as Record<string, JsonSchema>)
  if (declared.length === 0) throw incomplete(name, 'schema of its response')
  const headers = dialect.isIdempotent(route) ? ['Idempotent-Replayed'] : []
  return Object.fromEntries(
    declared.map(([status, schema]) => {
      const { description, example } = dialect.successOf(schema, responseExample)
      const content = { schema: forResponse(schema), example }
      return [
        status,
        {
          description,
          headers: headerReferences(dialect, headers),
          content: Object.fromEntries(produces.map((type) => [type, content])) as MediaTypes
        }
      ]
    })
  )
}
