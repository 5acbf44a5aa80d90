import type { FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What bodies of this route may hold of all bytes in flight, beside the whole of it, which all bodies share. */
    bodyShares?: (request: FastifyRequest) => BodyShare[]
  }
}

/** Bodies with the same `of` hold at most `part` of all bytes together, from 0 to 1. */
export type BodyShare = { of: string; part: number }
