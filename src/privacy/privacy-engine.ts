import { type Engine, nextDueBy } from '#kit/engines'
import type { PersonalData } from '#kit/personal-data'
import type { Ctx, Database } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import type { Vault } from '#kit/secrets'
import { deleteCustomerMetafields, removeCustomerTags } from '#mirror'
import type { Connector } from '#platform'
import { type WalletUrls, withdrawGooglePasses } from '#wallet'
import { collectPerson } from './collect-person.ts'
import { eraseNext, type HeldElsewhere, HOLDERS, waitForOthers, withdrawFromOthers } from './erase-person.ts'
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
  vault,
  connectorOf,
  walletUrls,
  holders = HOLDERS
}: {
  db: Database
  vault: Vault
  connectorOf: (storeId: number) => Promise<Connector>
  walletUrls?: WalletUrls | undefined
  holders?: readonly PersonalData[]
}): Engine {
  /** Null while the store is disconnected: nobody but the shop can change anything there. */
  const connectorOrNull = (storeId: number): Promise<Connector | null> =>
    connectorOf(storeId).catch((err: unknown) => {
      if (err instanceof Refusal) return null
      throw err
    })

  async function goOn(ctx: Ctx, request: DueRequest): Promise<void> {
    if (request.topic === 'customers/redact') await eraseNext(ctx, request, holders)
    if (request.topic === 'customers/data_request') await collectPerson(ctx, request, holders)
  }

  /** Why others still have something of the person that they were asked to delete; null: they have not. */
  async function withdraw(
    storeId: number,
    { customerIds, tags, googleSerials }: HeldElsewhere
  ): Promise<string | null> {
    const connector = customerIds.length > 0 ? await connectorOrNull(storeId) : null
    const deleted = connector && (await deleteCustomerMetafields(connector, customerIds))
    const removed = connector && (await removeCustomerTags(connector, customerIds, tags))
    const problem = await withdrawGooglePasses({ db, vault, walletUrls }, storeId, googleSerials)
    if (deleted?.ok === false) return 'The platform was not reached to delete the metafields of the customer'
    if (removed?.ok === false) return 'The platform was not reached to remove the tags of the customer'
    return problem === null ? null : `Google still has the wallet pass of the customer: ${problem}`.slice(0, 300)
  }

  /** Has others delete what they have by us of a person, and takes the step of the request after that. */
  async function goOnAfterOthers(storeId: number, request: DueRequest, held: HeldElsewhere): Promise<void> {
    const problem = await withdraw(storeId, held)
    await db.inStore(storeId, async (ctx) => {
      const due = await lockDueRequest(ctx)
      // Another process may have taken the step meanwhile; for another request nothing was deleted.
      if (due?.id !== request.id) return
      if (problem !== null && (await waitForOthers(ctx, due, problem))) return
      await goOn(ctx, due)
    })
  }

  /** One step of the request that is due first; false when none is. */
  async function step(storeId: number): Promise<boolean> {
    let locked: DueRequest | null = null
    try {
      const held = await db.inStore(storeId, async (ctx) => {
        locked = await lockDueRequest(ctx)
        if (!locked) return null
        const withdrawn = locked.topic === 'customers/redact' ? await withdrawFromOthers(ctx, locked) : null
        if (withdrawn && withdrawn.customerIds.length + withdrawn.googleSerials.length > 0) return withdrawn
        await goOn(ctx, locked)
        return null
      })
      const found = locked as DueRequest | null
      if (!found) return false
      // Others are asked, for which no transaction is held open.
      if (held) await goOnAfterOthers(storeId, found, held)
      if (found.topic !== 'shop/redact') return true
      await eraseShop({ db, connectorOf }, storeId, found)
      return false
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
