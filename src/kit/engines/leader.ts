import { LOCKS } from './advisory-locks.ts'
import type { NodeSession, SessionPart } from './node-session.ts'

/** How soon another node takes over when the leader is gone, at the latest. */
const ASK_EVERY_MS = 5_000

/**
 * Which node does the housekeeping: the one whose session holds the leader's lock. The lock needs no renewal and is free the
 * moment its node dies. A node that has lost its session unnoticed may still finish a task while another begins the same:
 * every task of housekeeping is safe to do twice.
 */
export function createLeader(query: NodeSession['query']): { leads(): Promise<boolean>; part: SessionPart } {
  let leads = false
  let askedAt = Number.NEGATIVE_INFINITY
  return {
    /** Whether this node leads; it takes the lead when nobody has it. No node leads without its session. */
    async leads() {
      if (leads || performance.now() - askedAt < ASK_EVERY_MS) return leads
      askedAt = performance.now()
      const locked = await query('select pg_try_advisory_lock($1, 0) as mine', [LOCKS.leader]).catch(() => null)
      leads = locked?.rows[0].mine === true
      return leads
    },
    part: {
      lost() {
        leads = false
        askedAt = Number.NEGATIVE_INFINITY
      }
    }
  }
}
