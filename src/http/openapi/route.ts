import type { RouteOptions } from 'fastify'

declare module 'fastify' {
  interface FastifySchema {
    /** What the operation is called in clients that are made from the document: `pauseSubscription`. */
    operationId?: string
    /** A few words without a full stop. */
    summary?: string
    /** What somebody who calls it has to know, in Markdown. */
    description?: string
    /** How the object in the example of the answer differs from that of its schema. */
    responseExample?: Record<string, unknown>
  }
}

/** A route of the direct API, as it was registered. */
export type Route = Pick<RouteOptions, 'method' | 'url' | 'schema' | 'config'>
