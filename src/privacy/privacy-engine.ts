import { type Engine, nextDueBy } from '#kit/engines'
import type { PersonalData } from '#kit/personal-data'
import type { Database } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import { deleteCustomerMetafields } from '#mirror'
import type { Connector } from '#platform'
import { collectPerson } from './collect-person.ts'
import { eraseNext, HOLDERS, waitForPlatform, withdrawFromPlatform } from './erase-person.ts'
import { eraseShop } from './erase-shop.ts'
import {
  type DueRequest,
  deleteExpiredExports,
  duePrivacy,
  lockDueRequest,
  markWaiting,
  nextPrivacyAt
} from './queries.ts'

/** Transactions of one run. */
const STEPS = 25
const RETRY_AFTER_MINUTES = 15

/**
 * Carries out requests about personal data, step by step; a step is one transaction, and knows from the request where it goes on. It works
 * also while the platform is disconnected: that is when most requests come. `holders`: all of them when left out.
 */
export function createPrivacyEngine({
  db,
  connectorOf,
  holders = HOLDERS
}: {
  db: Database
  connectorOf: (storeId: number) => Promise<Connector>
  holders?: readonly PersonalData[]
}): Engine {
  /** Null while the store is disconnected: nobody but the shop can change anything there. */
  const connectorOrNull = (storeId: number): Promise<Connector | null> =>
    connectorOf(storeId).catch((err: unknown) => {
      if (err instanceof Refusal) return null
      throw err
    })

  /** One step of the request that is due first; false when none is. */
  async function step(storeId: number): Promise<boolean> {
    let locked: DueRequest | null = null
    try {
      const customerIds = await db.inStore(storeId, async (ctx) => {
        locked = await lockDueRequest(ctx)
        return locked?.topic === 'customers/redact' ? withdrawFromPlatform(ctx, locked) : []
      })
      const connector = customerIds.length > 0 ? await connectorOrNull(storeId) : null
      if (connector) {
        const deleted = await deleteCustomerMetafields(connector, customerIds)
        if (!deleted.ok && (await db.inStore(storeId, (ctx) => waitForPlatform(ctx, locked!)))) return true
      }
      const ended = await db.inStore(storeId, async (ctx) => {
        locked = await lockDueRequest(ctx)
        if (!locked || locked.topic === 'shop/redact') return locked !== null
        if (locked.topic === 'customers/redact') await eraseNext(ctx, locked, holders)
        else await collectPerson(ctx, locked, holders)
        return true
      })
      const found = locked as DueRequest | null
      // It asks the platform, for which no transaction is held open.
      if (found?.topic === 'shop/redact') await eraseShop({ db, connectorOf }, storeId, found)
      return ended && found?.topic !== 'shop/redact'
    } catch (err) {
      const failed = locked as DueRequest | null
      if (failed) {
        // What the error says may be about the person: it is in the log of errors only.
        await db.inStore(storeId, (ctx) =>
          markWaiting(
            ctx,
            failed.id,
            'A step has failed and is repeated; the log says why',
            ctx.now.add({ minutes: RETRY_AFTER_MINUTES })
          )
        )
      }
      throw err
    }
  }

  return {
    name: 'privacy',
    stage: 'others',
    due: duePrivacy,
    ...nextDueBy(db, nextPrivacyAt),
    async runOnce(storeId) {
      let done = await db.inStore(storeId, deleteExpiredExports)
      for (let i = 0; i < STEPS && (await step(storeId)); i++) done++
      return done
    }
  }
}
