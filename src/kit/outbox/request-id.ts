import { AsyncLocalStorage } from 'node:async_hooks'

const current = new AsyncLocalStorage<string | null>()

/** Runs work that a request asked for: its facts name the request. Null: work of nobody's or of several requests together. */
export const withRequestId = <T>(id: string | null, work: () => T): T => current.run(id, work)

/** The `X-Request-Id` of the request that is being answered; null for work that no single request asked for. */
export const currentRequestId = (): string | null => current.getStore() ?? null
