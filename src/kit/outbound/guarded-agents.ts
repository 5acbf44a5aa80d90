import { Agent } from 'undici'
import { type AddressRules, checkNetworks, guardedConnector, rulesFor } from '../addresses.ts'

/** Keep-alive pools for addresses given by users; those of sandbox stores apart, since only these may reach this machine. */
export type GuardedAgents = {
  of(store: { sandbox: boolean }): Agent
  destroy(): Promise<void>
}

/**
 * Agents that connect only where the rules allow it (`guardedConnector`). Redirects are not followed. They limit the time for connecting;
 * the caller limits that of the whole request.
 */
export function openGuardedAgents(addresses: AddressRules, { timeoutMs }: { timeoutMs: number }): GuardedAgents {
  checkNetworks(addresses.allow)
  const open = (sandbox: boolean) =>
    new Agent({
      connect: guardedConnector(rulesFor({ sandbox }, addresses), { timeout: Math.min(10_000, timeoutMs) }),
      // Shorter than servers commonly keep an idle connection, so that we seldom write into one that is being closed.
      keepAliveTimeout: 4_000,
      // A receiver may allow longer, but idle connections cost us too.
      keepAliveMaxTimeout: 60_000,
      maxHeaderSize: 16 * 1024,
      pipelining: 1,
      // The limit on the whole request replaces both.
      headersTimeout: 0,
      bodyTimeout: 0
    })
  const live = open(false)
  const ofSandbox = open(true)
  return {
    of: ({ sandbox }) => (sandbox ? ofSandbox : live),
    destroy: async () => void (await Promise.all([live.destroy(), ofSandbox.destroy()]))
  }
}
