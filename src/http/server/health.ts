import type { FastifyInstance } from 'fastify'
import type { HttpDeps } from '../shared/deps.ts'
import { ownHeaders } from './unroutable.ts'

const OPEN = { logLevel: 'warn', config: { allow: 'anyone' } } as const

/** For whoever runs the process: `/livez` (it answers), `/readyz` (it can serve), `/metrics` (Prometheus). */
export function registerHealth(app: FastifyInstance, { health }: Pick<HttpDeps, 'health'>): void {
  app.get('/livez', OPEN, async () => ({ status: 'ok' }))

  app.get('/readyz', OPEN, async (_request, reply) => {
    const { ready, checks } = await health.ready()
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ok' : 'unavailable', checks })
  })

  app.get('/metrics', OPEN, (request, reply) => {
    reply.hijack()
    for (const [name, value] of Object.entries(ownHeaders(request.id))) reply.raw.setHeader(name, value)
    health.metrics(request.raw, reply.raw)
  })
}
