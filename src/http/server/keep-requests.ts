import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { realNow } from '#kit/clock'
import { type AnsweredRequest, createRequestLog } from '#requests'
import type { HttpDeps } from '../shared/deps.ts'
import { loggedUrl } from '../shared/logged-url.ts'

const WRITE_EVERY_MS = 1_000
const MAX_PATH_CHARACTERS = 500

/**
 * Keeps the requests to the APIs of a store that changed something or were refused, for its workbench. What the admin API is asked is in the log of
 * changes.
 */
export function keepRequests(app: FastifyInstance, { db, logger }: Pick<HttpDeps, 'db' | 'logger'>): void {
  const log = createRequestLog(db)
  const write = async () => {
    try {
      const { lost } = await log.write()
      if (lost > 0) logger.warn({ lost }, `${lost} requests found no room in the log of the workbench`)
    } catch (err) {
      logger.warn({ err }, `Requests not written to the log of the workbench: ${(err as Error).message}`)
    }
  }
  let writing: Promise<void> | null = null
  const timer = setInterval(() => {
    writing ??= write().finally(() => {
      writing = null
    })
  }, WRITE_EVERY_MS).unref()
  app.addHook('onResponse', (request, reply, done) => {
    const answered = answeredRequest(request, reply)
    if (answered) log.note(answered)
    done()
  })
  app.addHook('onClose', async () => {
    clearInterval(timer)
    await writing
    await write()
  })
}

/** Null for what is not kept: reads that worked, and requests of no known store. */
function answeredRequest(request: FastifyRequest, reply: FastifyReply): AnsweredRequest | null {
  const { method, caller, proxied } = request
  const storeId = caller?.storeId ?? proxied?.store.storeId
  const isRead = method === 'GET' || method === 'HEAD'
  if (storeId === undefined || (isRead && reply.statusCode < 400)) return null
  const path = request.isUntraced ? (request.routeOptions.url ?? 'none') : loggedUrl(request.originalUrl)
  return {
    storeId,
    at: realNow(),
    requestId: request.id,
    method,
    path: path.slice(0, MAX_PATH_CHARACTERS),
    status: reply.statusCode,
    durationMs: Math.round(reply.elapsedTime),
    keyId: caller?.keyId ?? null
  }
}
