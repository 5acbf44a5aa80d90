import { Type } from 'typebox'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'

const OpenApi = Type.Object(
  {},
  {
    additionalProperties: true,
    title: 'OpenApiDocument',
    description: 'An OpenAPI 3.1 document.',
    examples: [{ openapi: '3.1.1' }]
  }
)

/** GET /openapi.json */
export function getDocumentRoute(admin: Surface, { adminDocument }: AdminDeps): void {
  admin.get(
    '/openapi.json',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'getDocument',
        summary: 'Read this document',
        description: 'The OpenAPI document of the admin API, made from the routes of the running service.',
        response: { 200: OpenApi }
      }
    },
    async () => adminDocument()
  )
}
