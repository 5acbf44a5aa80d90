import type { Database } from '#kit/postgres'
import type { Connector } from '#platform'
import { createChargingTurns } from '../src/billing/charging/charging-turns.ts'

/**
 * Sends what waits and checks what was sent before, as the billing engine does, until nothing is under way. Returns how many attempts were
 * claimed or written, in all turns; 0 when nothing was due.
 */
export async function submitAttempts(
  db: Database,
  storeId: number,
  connector: Connector,
  leaseOwner = 1,
  maxCallMs?: number
): Promise<number> {
  const turns = createChargingTurns({ db, leaseOwner, connectorOf: async () => connector, maxCallMs })
  let { done } = await turns.turn(storeId)
  while (turns.underWay(storeId) > 0) done += (await turns.turn(storeId)).done
  return done
}
