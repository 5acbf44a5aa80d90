import type { FastifyRequest } from 'fastify'
import { loggedUrl } from './logged-url.ts'

/** Of a path and of what a client calls itself, so much is kept. */
const MAX_CHARACTERS = 500

/** What the log of changes says of any request: which one, what it asked for, from where. */
export const askedFrom = (request: FastifyRequest) => ({
  requestId: request.id,
  path: loggedUrl(request.originalUrl).slice(0, MAX_CHARACTERS),
  ipAddress: request.ip,
  userAgent: request.headers['user-agent']?.slice(0, MAX_CHARACTERS) ?? null
})
