import { execute, type GraphQLSchema } from 'graphql'
import type { Database } from '#kit/postgres'
import { formsOf } from '../outgoing/json.ts'
import { happening, queueWebhooks } from '../outgoing/queue-webhooks.ts'
import type { Shop } from '../shop.ts'
import { finishBulkOperation, takeBulkOperation } from '../state/bulk-operations.ts'
import { type Api, apiFor } from '../wire/api.ts'
import { type BulkQuery, readBulkQuery } from './bulk-query.ts'

type Connection = { edges: { node: Node }[]; pageInfo?: { hasNextPage: boolean; endCursor: string | null } }
type Node = Record<string, unknown>
type Lines = { text: string[]; objects: number; roots: number }

/** Runs the oldest bulk operation that waits, in the same process: a sandbox has no warehouse. 1 when it ran one. */
export async function runBulkOperation(
  db: Database,
  schema: GraphQLSchema,
  shop: Shop,
  now: Temporal.Instant
): Promise<number> {
  return db.inInstallation(async (q) => {
    const operation = await takeBulkOperation(q, shop.storeId, now)
    if (!operation) return 0
    const lines: Lines = { text: [], objects: 0, roots: 0 }
    const failure = await walk(schema, apiOf(db, shop, now), readBulkQuery(schema, operation.query), lines)
    const to = {
      status: failure ? 'FAILED' : 'COMPLETED',
      errorCode: failure ? 'INTERNAL_SERVER_ERROR' : null,
      objectCount: lines.objects,
      rootObjectCount: lines.roots,
      result: lines.text.length > 0 ? `${lines.text.join('\n')}\n` : null
    }
    await finishBulkOperation(q, shop.storeId, operation.id, to, now)
    const form = formsOf(shop)
    const payload = {
      admin_graphql_api_id: form.gid('BulkOperation', operation.id),
      completed_at: form.at(now),
      created_at: form.at(operation.createdAt),
      error_code: to.errorCode?.toLowerCase() ?? null,
      status: to.status.toLowerCase(),
      type: 'query'
    }
    await queueWebhooks(q, shop, happening([{ topic: 'bulk_operations/finish', payload }]), now)
    return 1
  })
}

/** Each page with a request of its own, so that what one page loaded does not stay in memory for the next. */
function apiOf(db: Database, shop: Shop, now: Temporal.Instant): () => Api {
  return () => apiFor(db, shop, `http://${shop.domain}`, async () => now)
}

async function walk(schema: GraphQLSchema, api: () => Api, query: BulkQuery, lines: Lines): Promise<boolean> {
  for (let after: string | null = null; ; ) {
    const result = await execute({
      schema,
      document: query.document,
      contextValue: api(),
      variableValues: { after }
    })
    if (result.errors || !result.data) return true
    const page = result.data[query.root] as Connection
    for (const { node } of page.edges) {
      lines.roots++
      write(node, null, query.connections, lines)
    }
    if (!page.pageInfo?.hasNextPage) return false
    after = page.pageInfo.endCursor
  }
}

/** A line per object; what was in a connection of it follows, with the parent's id. */
function write(node: Node, parentId: string | null, connections: Set<string>, lines: Lines) {
  lines.objects++
  const own = Object.entries(node).filter(([key]) => !connections.has(key))
  lines.text.push(JSON.stringify(Object.fromEntries(parentId ? [...own, ['__parentId', parentId]] : own)))
  for (const [key, value] of Object.entries(node)) {
    if (!connections.has(key) || value === null) continue
    for (const edge of (value as Connection).edges) write(edge.node, node.id as string, connections, lines)
  }
}
