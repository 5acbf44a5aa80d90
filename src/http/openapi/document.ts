import { version } from '#kit/version'
import { createPublisher } from '../shared/json-schema.ts'
import type { DocumentDialect, DocumentedRoute, OpenApiDocument, Parameter } from './document-types.ts'
import { pathsOf } from './operations.ts'
import { errorResponses } from './responses.ts'

type Publish = ReturnType<typeof createPublisher>['forResponse']

/**
 * The document of a surface, made from its routes. `more` adds webhooks and parameters. Throws for a route that leaves out
 * what a reader or a client needs.
 */
export function surfaceDocument(
  routes: DocumentedRoute[],
  dialect: DocumentDialect,
  more: { parameters?: Record<string, Parameter>; webhooks?: (publish: Publish) => OpenApiDocument['webhooks'] } = {}
): OpenApiDocument {
  const publisher = createPublisher()
  const { prefix, info, tags, headers, securitySchemes } = dialect
  const paths = pathsOf(
    routes.filter(({ url }) => url.startsWith(`${prefix}/`) && (dialect.has?.(url.slice(prefix.length)) ?? true)),
    dialect,
    publisher
  )
  const webhooks = more.webhooks?.(publisher.forResponse)
  const responses = errorResponses(dialect, publisher.forResponse)
  const { title, ...about } = info
  return {
    openapi: '3.1.1',
    info: { title, version, ...about, license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: prefix, description: 'The service that serves this document' }],
    tags: Object.values(tags),
    paths,
    ...(webhooks && { webhooks }),
    components: {
      schemas: sorted(publisher.components),
      responses,
      parameters: more.parameters ?? {},
      headers,
      securitySchemes
    }
  }
}

const sorted = <T>(entries: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1)))
