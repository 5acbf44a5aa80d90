import { execute, type GraphQLSchema } from 'graphql'
import type { Database } from '#kit/postgres'
import { formsOf } from '../outgoing/json.ts'
import { queueWebhooks, webhookMessage } from '../outgoing/queue-webhooks.ts'
import type { Shop } from '../shop.ts'
import { type BulkOperation, type BulkStep, claimBulkOperation, writeBulkStep } from '../state/bulk-operations.ts'
import { findStagedUpload } from '../state/staged-uploads.ts'
import { type Api, apiFor } from '../wire/api.ts'
import { type BulkQuery, readBulkQuery } from './bulk-query.ts'
import { runMutationLines } from './run-mutation-lines.ts'

type Connection = { edges: { node: Node }[]; pageInfo?: { hasNextPage: boolean; endCursor: string | null } }
type Node = Record<string, unknown>
type Lines = { text: string[]; objects: number; roots: number }
type Walked = { nextPage: string | null; isFailed: boolean }

/** Pages of a hundred that one step reads; the progress is visible after each step. */
const PAGES_A_STEP = 100

/** Runs the next step of the due bulk operation, in this process. Returns 1 if there was one, else 0. */
export async function runBulkOperation(
  db: Database,
  schema: GraphQLSchema,
  shop: Shop,
  now: Temporal.Instant
): Promise<number> {
  return db.inInstallation(async (q) => {
    const operation = await claimBulkOperation(q, shop.storeId, now)
    if (!operation) return 0
    const step = await nextStep(db, schema, shop, operation, now)
    await writeBulkStep(q, shop.storeId, operation.id, step, now)
    if (step.stepAt !== null) return 1
    const form = formsOf(shop)
    const payload = {
      admin_graphql_api_id: form.gid('BulkOperation', operation.id),
      completed_at: form.at(now),
      created_at: form.at(operation.createdAt),
      error_code: step.errorCode?.toLowerCase() ?? null,
      status: (step.status === 'EXPIRED' ? 'COMPLETED' : step.status).toLowerCase(),
      type: operation.type.toLowerCase()
    }
    await queueWebhooks(q, shop, webhookMessage([{ topic: 'bulk_operations/finish', payload }]), now)
    return 1
  })
}

async function nextStep(
  db: Database,
  schema: GraphQLSchema,
  shop: Shop,
  operation: BulkOperation,
  now: Temporal.Instant
): Promise<BulkStep> {
  const { status, script, nextPage, rootObjectCount } = operation
  const later = now.add({ minutes: script?.stepMinutes ?? 0 })
  if (status === 'CANCELING') return { ...NOTHING, status: 'CANCELED' }
  if (status === 'CREATED' && operation.type === 'QUERY') return { ...NOTHING, status: 'RUNNING', stepAt: later }
  const lines: Lines = { text: [], objects: 0, roots: 0 }
  const max = script?.afterRoots === undefined ? Infinity : Math.max(0, script.afterRoots - rootObjectCount)
  if (operation.type === 'MUTATION') return nextLines(db, schema, shop, operation, { now, later, max })
  const pages = script?.stepMinutes ? 1 : PAGES_A_STEP
  const query = readBulkQuery(schema, operation.query)
  const walked = await walk(schema, apiOf(db, shop, now), query, lines, { from: nextPage, pages, max })
  const step = {
    errorCode: null,
    objectCount: lines.objects,
    rootObjectCount: lines.roots,
    read: lines.text.map((line) => `${line}\n`).join(''),
    nextPage: walked.nextPage,
    stepAt: null
  }
  if (walked.isFailed) return { ...step, status: 'FAILED', errorCode: 'INTERNAL_SERVER_ERROR' }
  if (walked.nextPage !== null && lines.roots < max) return { ...step, status: 'RUNNING', stepAt: later }
  const ended = script?.status ?? 'COMPLETED'
  return {
    ...step,
    status: ended,
    errorCode: ended === 'FAILED' ? (script?.errorCode ?? 'INTERNAL_SERVER_ERROR') : null
  }
}

const NOTHING = { errorCode: null, objectCount: 0, rootObjectCount: 0, read: '', nextPage: null, stepAt: null }
/** In the place of the next line: all were run, and the next step ends the operation. */
const ALL_RAN = 'all'

/** Runs the next lines of a mutation. It still runs when the last is done: its file follows. */
async function nextLines(
  db: Database,
  schema: GraphQLSchema,
  shop: Shop,
  { query, script, nextPage, uploadKey }: BulkOperation,
  { now, later, max }: { now: Temporal.Instant; later: Temporal.Instant; max: number }
): Promise<BulkStep> {
  if (nextPage === ALL_RAN) {
    const ended = script?.status ?? 'COMPLETED'
    const errorCode = ended === 'FAILED' ? (script?.errorCode ?? 'INTERNAL_SERVER_ERROR') : null
    return { ...NOTHING, status: ended, errorCode }
  }
  const file = await findStagedUpload(db.direct, shop.storeId, uploadKey ?? '')
  const from = Number(nextPage ?? 0)
  const most = script?.stepMinutes ? Math.min(max, 1) : max
  const ran =
    file === null ? null : await runMutationLines(schema, apiOf(db, shop, now), { mutation: query, file, from, most })
  if (!ran || ran.isFailed) return { ...NOTHING, status: 'FAILED', errorCode: 'INTERNAL_SERVER_ERROR' }
  const { read, objects, nextLine } = ran
  const isOver = nextLine === null || objects >= max
  return {
    status: 'RUNNING',
    errorCode: null,
    objectCount: objects,
    rootObjectCount: objects,
    read,
    nextPage: isOver ? ALL_RAN : String(nextLine),
    stepAt: later
  }
}

/** Runs each page as a separate request, so that the objects loaded for one page are freed before the next. */
function apiOf(db: Database, shop: Shop, now: Temporal.Instant): () => Api {
  return () => apiFor(db, shop, `http://${shop.domain}`, async () => now)
}

/** Reads pages from a cursor on, until the end, the given number of pages, or `max` root objects. */
async function walk(
  schema: GraphQLSchema,
  api: () => Api,
  query: BulkQuery,
  lines: Lines,
  { from, pages, max }: { from: string | null; pages: number; max: number }
): Promise<Walked> {
  let after = from
  for (let read = 0; read < pages && lines.roots < max; read++) {
    const result = await execute({
      schema,
      document: query.document,
      contextValue: api(),
      variableValues: { after }
    })
    if (result.errors || !result.data) return { nextPage: null, isFailed: true }
    const page = result.data[query.root] as Connection
    for (const { node } of page.edges.slice(0, max - lines.roots)) {
      lines.roots++
      write(node, null, query.connections, lines)
    }
    if (!page.pageInfo?.hasNextPage) return { nextPage: null, isFailed: false }
    after = page.pageInfo.endCursor
  }
  return { nextPage: after, isFailed: false }
}

/** One line per object; objects of its connections follow with the parent's id. */
function write(node: Node, parentId: string | null, connections: Set<string>, lines: Lines) {
  lines.objects++
  const own = Object.entries(node).filter(([key]) => !connections.has(key))
  lines.text.push(JSON.stringify(Object.fromEntries(parentId ? [...own, ['__parentId', parentId]] : own)))
  for (const [key, value] of Object.entries(node)) {
    if (!connections.has(key) || value === null) continue
    for (const edge of (value as Connection).edges) write(edge.node, node.id as string, connections, lines)
  }
}
