import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import {
  cancelImport,
  type Import,
  listImports,
  MODES,
  receiveFile,
  refusedRowsReport,
  SOURCES,
  showImport,
  startImport
} from '#imports'
import { isoOf, isoOrNull } from '#kit/clock'
import { internalId, publicId } from '#kit/ids'
import { invalidField, Refusal } from '#kit/refusal'
import { requireStore } from '#stores'
import { futureOrNull, IsoDate } from '../shared/dates.ts'
import type { HttpDeps } from '../shared/deps.ts'
import { OrNull } from '../shared/response-fields.ts'
import type { Surface } from '../shared/surface.ts'
import { PageLimit, StoreParams } from './fields.ts'

const ImportParams = Type.Object({
  ...StoreParams.properties,
  import: Type.String({ description: 'the id of an import such as imp_3' })
})

const ImportBody = Type.Object({
  id: Type.String(),
  source: Type.String(),
  mode: Type.String(),
  paused_until: OrNull(Type.String()),
  status: Type.String(),
  sha256: OrNull(Type.String()),
  listed: Type.Integer(),
  lines_read: Type.Integer(),
  total: Type.Integer(),
  created: Type.Integer(),
  unchanged: Type.Integer(),
  refused: Type.Integer(),
  waiting: Type.Integer(),
  pushed: Type.Optional(Type.Integer()),
  error: OrNull(Type.String()),
  created_at: Type.String(),
  started_at: OrNull(Type.String()),
  finished_at: OrNull(Type.String())
})

const oneOf = (words: readonly string[]) =>
  Type.Union(
    words.map((word) => Type.Literal(word)),
    { description: `${words.slice(0, -1).join(', ')} or ${words.at(-1)}` }
  )

/** Taking over contracts that others have billed so far. */
export function registerImports(admin: Surface, { db, wake }: Pick<HttpDeps, 'db' | 'wake'>): void {
  admin.post(
    '/stores/:store/imports',
    {
      schema: {
        params: StoreParams,
        body: Type.Object({
          source: oneOf(SOURCES),
          mode: Type.Optional(oneOf(MODES)),
          paused_until: IsoDate(),
          sha256: Type.Optional(
            Type.String({ pattern: '^[0-9a-fA-F]{64}$', description: "the file's SHA-256, 64 hexadecimal digits" })
          )
        }),
        response: { 201: ImportBody }
      }
    },
    async (request, reply) => {
      const { storeId, timezone } = await requireStore(db, request.params.store)
      const { source, mode = 'live', paused_until, sha256 } = request.body
      const made = await db.inStore(storeId, (ctx) =>
        startImport(ctx, {
          source: source as Import['source'],
          mode: mode as Import['mode'],
          pausedUntil: futureOrNull('paused_until', paused_until, timezone, ctx.now),
          fileSha256: sha256?.toLowerCase() ?? null
        })
      )
      wake(storeId)
      return reply.code(201).send(present(made))
    }
  )

  admin.get(
    '/stores/:store/imports',
    {
      schema: {
        params: StoreParams,
        querystring: Type.Object({ limit: PageLimit }),
        response: { 200: Type.Object({ data: Type.Array(ImportBody) }) }
      }
    },
    async ({ params, query: { limit = 50 } }) => {
      const { storeId } = await requireStore(db, params.store)
      return { data: (await db.inStore(storeId, (ctx) => listImports(ctx, limit))).map(present) }
    }
  )

  admin.get(
    '/stores/:store/imports/:import',
    { schema: { params: ImportParams, response: { 200: ImportBody } } },
    async ({ params }) => {
      const { storeId } = await requireStore(db, params.store)
      const shown = await db.inStore(storeId, (ctx) => showImport(ctx, importId(params.import)))
      return { ...present(shown), pushed: shown.createdRows - shown.toPush }
    }
  )

  admin.post(
    '/stores/:store/imports/:import/cancel',
    { schema: { params: ImportParams, body: Type.Object({}), response: { 200: ImportBody } } },
    async ({ params }) => {
      const { storeId } = await requireStore(db, params.store)
      const cancelled = await db.inStore(storeId, (ctx) => cancelImport(ctx, importId(params.import)))
      wake(storeId)
      return present(cancelled)
    }
  )

  admin.get(
    '/stores/:store/imports/:import/refused',
    {
      schema: {
        params: ImportParams,
        querystring: Type.Object({ format: Type.Optional(oneOf(['csv', 'ndjson'])) })
      }
    },
    async ({ params, query: { format = 'ndjson' } }, reply) => {
      const { storeId } = await requireStore(db, params.store)
      const report = await refusedRowsReport(db, storeId, importId(params.import), format === 'csv' ? 'csv' : 'ndjson')
      return reply
        .type(format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson')
        .send(Readable.from(report, { objectMode: false }))
    }
  )

  admin.register(async (files) => {
    // The rows are read as they arrive: the file may be larger than what there is of memory.
    files.addContentTypeParser(['text/csv', 'application/x-ndjson'], (_request, body, done) => done(null, body))
    files.put(
      '/stores/:store/imports/:import/rows',
      { config: { mayTakeLong: true }, schema: { params: ImportParams, response: { 200: ImportBody } } },
      async (request) => {
        const { store, import: reference } = request.params as Static<typeof ImportParams>
        const { storeId } = await requireStore(db, store)
        const sent = sentIn(request)
        try {
          const received = await receiveFile(db, storeId, importId(reference), sent)
          wake(storeId)
          return present(received)
        } finally {
          // What is refused early is still heard to its end: a client that is cut off would not see why.
          sent.body.resume()
        }
      }
    )
  })
}

function sentIn(request: FastifyRequest) {
  const type = request.headers['content-type'] ?? ''
  const format = /^text\/csv\b/i.test(type) ? ('csv' as const) : ('ndjson' as const)
  if (!(request.body instanceof Readable)) {
    throw invalidField('Content-Type', 'takes text/csv or application/x-ndjson, with the file as the body')
  }
  const { body } = request
  return { format, body, stream: body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer> }
}

function importId(text: string): number {
  const id = internalId('imp', text)
  if (id === null) throw new Refusal('not_found', `There is no import ${text.slice(0, 100)}`)
  return id
}

function present(shown: Import): Static<typeof ImportBody> {
  const { totalRows, createdRows, unchangedRows, refusedRows } = shown
  return {
    id: publicId('imp', shown.id),
    source: shown.source,
    mode: shown.mode,
    paused_until: isoOrNull(shown.pausedUntil),
    status: shown.status,
    sha256: shown.fileSha256,
    listed: shown.listedContracts,
    lines_read: shown.linesRead,
    total: totalRows,
    created: createdRows,
    unchanged: unchangedRows,
    refused: refusedRows,
    waiting: totalRows - createdRows - unchangedRows - refusedRows,
    error: shown.lastError,
    created_at: isoOf(shown.createdAt),
    started_at: isoOrNull(shown.startedAt),
    finished_at: isoOrNull(shown.finishedAt)
  }
}
