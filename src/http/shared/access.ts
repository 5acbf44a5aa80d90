import { type Caller, SCOPES } from '#stores'
import { PERMISSIONS } from '#team'

/** What a route may declare as `config.allow`, by surface: who may call it. */
export const ALLOWED = {
  /** An API key that has this scope. */
  rest: SCOPES,
  /** A customer who is logged in to the store's shop, or everybody who visits it. */
  storefront: ['customer', 'visitor'],
  /** An API key that has this scope, of the store for whose shop the app proxy signed. */
  data: ['read:data'],
  /** The same, or without a key the customer who is logged in, on their own contracts. */
  churn: ['read:churn', 'write:churn'],
  collection: ['read:data'],
  /** The customer of whom the platform's customer accounts say so: the routes of the two above that are for customers. */
  customer_account: ['customer', 'read:churn', 'write:churn'],
  /** The operator token, or a person whose role has this permission. */
  admin: PERMISSIONS,
  /** Whoever signs in. */
  sign_in: ['person'],
  /** The commerce platform, by its signature; a phone, by the token of a pass. */
  inbound: ['platform', 'pass'],
  /** The page of the app in a shop's admin, by the session token that the platform has given it. */
  install: ['shop'],
  /** Everybody: documents, health. */
  open: ['anyone']
} as const

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose API key the request has; null before it is found, and on the other surfaces. */
    caller: Caller | null
    /** Nothing that is kept says who made it, or of what: see `identifyCallers` of the Churn API. */
    isUntraced: boolean
  }
  interface FastifyContextConfig {
    /** Who may call the route. Every route declares it; `ALLOWED` has the values of each surface. */
    allow?: (typeof ALLOWED)[keyof typeof ALLOWED][number]
  }
}

/** Throws for a route that does not say who may call it, or says it in words of another surface. */
export function requireAllow(
  { method, url, config }: { method: string | string[]; url: string; config?: { allow?: string } },
  values: readonly string[]
): void {
  if (config?.allow !== undefined && values.includes(config.allow)) return
  throw new Error(`${method} ${url} does not declare who may call it: config.allow must be ${values.join(', ')}`)
}
