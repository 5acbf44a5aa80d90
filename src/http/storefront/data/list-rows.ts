import { Type } from 'typebox'
import { type ExportEndpoint, endpoints, PARAMETERS, readPageRequest } from '#exports'
import type { Route, Surface } from '../../shared/surface.ts'
import type { PageDeps } from '../deps.ts'
import { openExport } from '../open-export.ts'
import { pageSchema } from './page-schema.ts'

const EXAMPLES = {
  page: 1,
  since_id: 0,
  since_date: '2026-01-31',
  since_updated: '2026-01-31',
  shopify_customer_gid: '8345709432'
}

/** `cancellation-reasons` → `CancellationReasons` */
const pascal = (name: string) => name.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase())

const querystringOf = ({ filters }: ExportEndpoint) =>
  Type.Object({
    key: Type.String({
      description: 'an API key of the store',
      meaning: 'The API key',
      examples: ['svc_live_1_0123456789abcdefghijklmnopqrstuv']
    }),
    ...Object.fromEntries(
      filters.map((name) => {
        const { accepts, meaning } = PARAMETERS[name]
        const about = { description: accepts, meaning, examples: [EXAMPLES[name]] }
        const max = Number.MAX_SAFE_INTEGER
        if (name === 'page')
          return [name, Type.Optional(Type.Integer({ minimum: 1, maximum: max, default: 1, ...about }))]
        if (name === 'since_id')
          return [name, Type.Optional(Type.Integer({ minimum: 0, maximum: max, default: 0, ...about }))]
        const format = name === 'shopify_customer_gid' ? {} : { format: 'date' }
        return [name, Type.Optional(Type.String({ ...format, ...about }))]
      })
    )
  })

const PAGING = {
  page: 'The list ends with a page that has fewer rows than `meta.per_page`, or none.',
  cursor:
    'Rows are in ascending order of their internal id. Pass `meta.last_id` as `since_id` to get the rows after them, as long as `meta.has_more` says that there are any.'
}

/** GET /data/<endpoint> (spec 2, Data API). Parameters that an endpoint does not have are ignored, as the contract says of `page`. */
const listRowsRoute =
  (endpoint: ExportEndpoint): Route<PageDeps> =>
  (data: Surface, { pages }) => {
    data.get(
      `/${endpoint.name}`,
      {
        config: { allow: 'read:data' },
        // `readPageRequest` reads the parameters: it knows which of them an endpoint ignores.
        validatorCompiler: () => (value) => ({ value }),
        schema: {
          operationId: `list${pascal(endpoint.name)}Rows`,
          summary: `List rows of ${endpoint.name}`,
          description: `${endpoint.meaning}.\n\n${PAGING[endpoint.paging]} A page has at most ${endpoint.pageSize} rows.`,
          querystring: querystringOf(endpoint),
          response: { 200: pageSchema(endpoint, pascal(endpoint.name)) }
        }
      },
      async (request, reply) => {
        const page = readPageRequest(endpoint, request.query as Parameters<typeof readPageRequest>[1])
        const { storeId } = request.proxied!.store
        return openExport(request, reply, async (options) => {
          const { bytes, readAt } = await pages.open({ storeId, endpoint, request: page }, options)
          // A sync that asks for what changed since this time misses nothing.
          reply.header('shop-time', readAt.toString({ smallestUnit: 'second' }))
          return bytes
        })
      }
    )
  }

/** The seven routes, of the declarations of their endpoints. */
export const listRowsRoutes: Route<PageDeps>[] = endpoints.map(listRowsRoute)
