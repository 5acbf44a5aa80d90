import { readFileSync } from 'node:fs'
import type { Budget } from '#kit/rate-limit'
import type { RatePlan } from '#stores'
import { REST_PREFIX } from '../rest/index.ts'
import { createPublisher, type JsonSchema } from '../shared/json-schema.ts'
import { guideAsMarkdown, guideOf } from './guide.ts'
import { IDEMPOTENCY_KEY, type Operation, type Parameter, pathsOf, TAGS } from './operations.ts'
import { errorResponses, HEADERS, type OperationResponse } from './responses.ts'
import type { Route } from './route.ts'
import { SIGNATURE_HEADERS, webhooksOf } from './webhooks.ts'

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  version: string
}

/** An OpenAPI 3.1 document, as far as ours goes. */
export type OpenApiDocument = {
  openapi: string
  info: Record<string, unknown>
  servers: { url: string; description: string }[]
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, { post: Operation }>
  components: {
    schemas: Record<string, JsonSchema>
    responses: Record<string, OperationResponse>
    parameters: Record<string, Parameter>
    headers: typeof HEADERS
    securitySchemes: Record<string, object>
  }
}

/** The document of the direct API, made from its routes. Throws when one of them does not tell enough of itself. */
export function openApiDocument(routes: Route[], budgets: Record<RatePlan, Budget>): OpenApiDocument {
  const publisher = createPublisher()
  const paths = pathsOf(routes, REST_PREFIX, publisher)
  const webhooks = webhooksOf(publisher.answered)
  const responses = errorResponses(publisher.answered)
  return {
    openapi: '3.1.1',
    info: {
      title: 'Perennial API',
      version,
      summary: 'Subscriptions, memberships, billing attempts and store credit of one store.',
      description: guideAsMarkdown(guideOf(budgets)),
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' }
    },
    servers: [{ url: REST_PREFIX, description: 'The service that serves this document' }],
    tags: Object.values(TAGS),
    paths,
    webhooks,
    components: {
      schemas: sorted(publisher.components),
      responses,
      parameters: { IdempotencyKey: IDEMPOTENCY_KEY, ...SIGNATURE_HEADERS },
      headers: HEADERS,
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'svc_live_… or svc_test_…',
          description: 'An API key of a store. The roles of an operation are the scopes that the key must have.'
        }
      }
    }
  }
}

const sorted = <T>(entries: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1)))
