import type { StoreStatus } from '#kit/engines'
import type { Store } from '#stores'
import type { Problem } from './problem.ts'

/** Stores that are not connected to their platform, and those that are on the way to it or to their end. */
export function storeProblems(stores: Store[], statuses: ReadonlyMap<number, StoreStatus>): Problem[] {
  return stores.flatMap((store): Problem[] => {
    const found = problemOf(store, statuses.get(store.storeId))
    return found ? [{ store: store.domain, subject: store.domain, since: null, ...found }] : []
  })
}

function problemOf(
  { domain, status, connectedAt, tokenRefusedAt, sandbox }: Store,
  state: StoreStatus | undefined
): (Pick<Problem, 'kind' | 'message' | 'next'> & Partial<Pick<Problem, 'since'>>) | null {
  const connect = `perennial store connect --store ${domain}${sandbox ? '' : ' --access-token @FILE'}`
  if (status === 'deleting') {
    return { kind: 'store_deleting', message: 'The store is being deleted', next: 'Nothing: it goes on by itself.' }
  }
  if (status === 'disconnected') {
    return {
      kind: 'store_disconnected',
      message: 'The store is disconnected from its platform: nothing is billed',
      next: `${connect}, or open the app in the shop's admin, or perennial store delete --store ${domain}`
    }
  }
  if (connectedAt === null) {
    return {
      kind: 'store_not_connected',
      message: 'The store was never connected to its platform',
      next: `Repeat perennial store create for ${domain}: it says what the platform answers. If its people installed the app: open it in the shop's admin again.`
    }
  }
  if (tokenRefusedAt !== null) {
    return {
      kind: 'token_refused',
      since: tokenRefusedAt,
      message: 'The platform refuses the access token of the store: nothing can be billed, and what falls due waits',
      next: `Open the app in the shop's admin if its people installed it there. If not: ${connect}`
    }
  }
  if (state?.isRestored) {
    return {
      kind: 'store_on_hold',
      message: 'The store was restored from a backup; nothing is charged or sent until its platform has been read',
      next: `perennial doctor --store ${domain} says how far that is.`
    }
  }
  if (state && !state.isCaughtUp) {
    return {
      kind: 'store_catching_up',
      message: 'The store is not billed until every contract on its platform has been read',
      next: `perennial store reconcile --store ${domain} --show`
    }
  }
  return null
}
