import { type Engine, nextDueBy } from '#kit/engines'
import type { PersonalData } from '#kit/personal-data'
import type { Ctx, Database } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import type { Vault } from '#kit/secrets'
import type { Connector } from '#platform'
import type { WalletUrls } from '#wallet'
import { collectPerson } from './collect-person.ts'
import { deleteElsewhere } from './delete-elsewhere.ts'
import { eraseNext, goOnAfterOthers, HOLDERS } from './erase-person.ts'
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

/** Whether the step of a request is to ask others, for which no transaction is held open. */
const asksOthers = ({ subject, progress }: DueRequest): boolean => subject !== null && progress?.others !== undefined

const isSameStep = (one: DueRequest, other: DueRequest): boolean =>
  one.progress?.round === other.progress?.round && one.progress?.others === other.progress?.others

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
  /** Null while the store is disconnected. */
  const connectorOrNull = (storeId: number): Promise<Connector | null> =>
    connectorOf(storeId).catch((err: unknown) => {
      if (err instanceof Refusal) return null
      throw err
    })

  async function goOn(ctx: Ctx, request: DueRequest): Promise<void> {
    if (request.topic === 'customers/redact') await eraseNext(ctx, request, holders)
    if (request.topic === 'customers/data_request') await collectPerson(ctx, request, holders)
  }

  /** Has others delete what they have by us of a person, and takes the step of the request after that. */
  async function askOthers(storeId: number, request: DueRequest): Promise<void> {
    const left = await deleteElsewhere({ db, vault, connectorOrNull, walletUrls }, storeId, request.subject!)
    await db.inStore(storeId, async (ctx) => {
      const due = await lockDueRequest(ctx)
      // Another process may have taken the step meanwhile.
      if (due?.id === request.id && isSameStep(due, request)) await goOnAfterOthers(ctx, due, left)
    })
  }

  /** One step of the request that is due first; false when none is. */
  async function step(storeId: number): Promise<boolean> {
    let locked: DueRequest | null = null
    try {
      await db.inStore(storeId, async (ctx) => {
        locked = await lockDueRequest(ctx)
        if (locked && !asksOthers(locked)) await goOn(ctx, locked)
      })
      const found = locked as DueRequest | null
      if (!found) return false
      if (asksOthers(found)) await askOthers(storeId, found)
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
