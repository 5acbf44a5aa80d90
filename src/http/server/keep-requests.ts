import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { realNow } from '#kit/clock'
import { type AnsweredRequest, createRequestLog } from '#requests'
import { askedFrom } from '../shared/asked-from.ts'
import type { HttpDeps } from '../shared/deps.ts'

const WRITE_EVERY_MS = 1_000
/** Whoever asks too often would fill the log with it. */
const TOO_MANY_REQUESTS = 429

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
  const keep = (request: FastifyRequest, reply: FastifyReply) => {
    const answered = answeredRequest(request, reply)
    if (answered) log.note(answered)
  }
  app.addHook('onResponse', (request, reply, done) => {
    keep(request, reply)
    done()
  })
  // A response that nobody waits for any more does not come to its end.
  app.addHook('onSend', (request, reply, payload, done) => {
    if (reply.raw.destroyed) keep(request, reply)
    done(null, payload)
  })
  app.addHook('onClose', async () => {
    clearInterval(timer)
    await writing
    await write()
  })
}

/** Null for what is not kept: reads that worked, requests beyond a rate limit, those that must leave no trace, and those of no known store. */
function answeredRequest(request: FastifyRequest, reply: FastifyReply): AnsweredRequest | null {
  const { method, caller, proxied, isUntraced } = request
  const storeId = caller?.storeId ?? proxied?.store.storeId
  const isRead = method === 'GET' || method === 'HEAD'
  const { statusCode: status } = reply
  if (storeId === undefined || isUntraced || (isRead && status < 400) || status === TOO_MANY_REQUESTS) return null
  const { requestId, path } = askedFrom(request)
  return {
    storeId,
    at: realNow(),
    requestId,
    method,
    path,
    status,
    durationMs: Math.round(reply.elapsedTime),
    keyId: caller?.keyId ?? null
  }
}
