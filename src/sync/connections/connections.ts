import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import type { Vault } from '#kit/secrets'
import { releaseShop } from '#mirror'
import { beginOrders, scheduleOrderWalk } from '#orders'
import { type Connector, type Connectors, type PlatformResult, unwrap, type WebhookSubscriptionState } from '#platform'
import { disconnectStore, listStores, notify, platformAccess, type StoreAccess, writeWebhooksUrl } from '#stores'
import { scheduleReconciliations } from '../reconciler/reconciliation.ts'
import { followScopes } from './follow-scopes.ts'
import { syncShop } from './sync-shop.ts'
import { checkConnectionNow } from './token-answers.ts'

export type ConnectionsOptions = {
  db: Database
  vault: Vault
  connectors: Connectors
  /** Our endpoint for the platform's webhooks, and the topics that we receive. Read late, because ports may be chosen late. */
  webhooks: () => { url: string; topics: string[] }
  /** The platform has taken the stored access token for our webhooks. */
  onTokenTaken: (storeId: number) => Promise<void>
  /** Called when a store was disconnected, with a sentence for the log. */
  onConnectionChange: (storeId: number, message: string) => void
  /** How a store's platform is called, with a token that is good for a while; the stored one when left out. */
  accessOf?: (storeId: number) => Promise<StoreAccess>
}

/** The connections of stores to their platforms. */
export type Connections = {
  /** The connector to a store's platform. Refuses when the store is disconnected. */
  connectorOf(storeId: number): Promise<Connector>
  /**
   * Registers our webhooks on a store's platform and begins its reconciliation schedule. Safe to repeat. Refuses when the
   * platform does not accept the webhooks.
   */
  connect(access: StoreAccess): Promise<void>
  /**
   * Corrects our webhooks on the platform, our copy of the shop and the access scopes that we know of, because messages about each may
   * be lost. Returns how many things were wrong. A topic that the platform refuses is the result, after all else was corrected.
   */
  check(storeId: number): Promise<PlatformResult<{ changed: number }>>
  /** How our webhooks on the store's platform are; changes nothing. */
  lookAtWebhooks(storeId: number): Promise<PlatformResult<WebhookSubscriptionState[]>>
  /**
   * Has the webhooks of those stores corrected at once whose platforms were told another address of ours: it has changed.
   */
  checkMoved(): Promise<void>
  /**
   * Disconnects a store whose platform says that the app was uninstalled, and alerts the operator. Does nothing where the platform
   * takes the token: the app was installed again since. Throws when the platform does not say whether it does, and when the store got another
   * token while it was asked: then it is to be asked again.
   */
  checkUninstalled(storeId: number): Promise<void>
  /**
   * Disconnects a store for an operator: removes our webhooks on the platform and says there that nobody maintains the store, as far as
   * it answers within ten seconds, and erases the token. Returns whether the webhooks are removed. Does nothing when it is disconnected already.
   */
  leave(storeId: number): Promise<{ webhooksRemoved: boolean }>
}

export function createConnections(options: ConnectionsOptions): Connections {
  const { db, vault, connectors, webhooks, onTokenTaken, onConnectionChange } = options
  const accessOf = options.accessOf ?? ((storeId: number) => platformAccess(db, vault, storeId))
  const connectorOf = async (storeId: number) => connectors.to(await accessOf(storeId))
  const register = ({ webhookSubscriptions }: Connector) => {
    const { url, topics } = webhooks()
    return webhookSubscriptions.ensure(url, topics)
  }

  /** Whether the webhooks are removed: not when the platform does not answer or refuses, or the store is disconnected already. */
  const leaveShop = async (storeId: number): Promise<boolean> => {
    try {
      const connector = await connectorOf(storeId)
      const released = await releaseShop(connector)
      if (!released.ok)
        onConnectionChange(storeId, `The shop still says that it is maintained: ${released.failure.message}`)
      return (await connector.webhookSubscriptions.remove(webhooks().topics)).ok
    } catch (err) {
      if (err instanceof Refusal) return false
      throw err
    }
  }

  return {
    connectorOf,

    async connect(access) {
      const ensured = await register(connectors.tryOut(access))
      if (!ensured.ok) {
        throw new Refusal(
          'unavailable',
          `The service's webhooks are not registered on the platform. ${ensured.failure.message}`
        )
      }
      await db.inStore(access.storeId, async (ctx) => {
        await writeWebhooksUrl(ctx, webhooks().url)
        await scheduleReconciliations(ctx)
        await scheduleOrderWalk(ctx)
        await beginOrders(ctx)
      })
    },

    async lookAtWebhooks(storeId) {
      const { url, topics } = webhooks()
      return (await connectorOf(storeId)).webhookSubscriptions.look(url, topics)
    },

    async check(storeId) {
      const connector = await connectorOf(storeId)
      // First: a topic is refused whose scope is missing, and then at least that is known.
      const scopes = await followScopes(db, storeId, connector)
      if (!scopes.ok) return scopes
      await onTokenTaken(storeId)
      const ensured = await register(connector)
      // A topic that is refused holds up nothing else: the rest has our address.
      if (!ensured.ok && ensured.failure.kind !== 'rejected') return ensured
      await db.inStore(storeId, async (ctx) => {
        await writeWebhooksUrl(ctx, webhooks().url)
        // A store that was connected by an earlier version has no schedule yet.
        await scheduleOrderWalk(ctx)
      })
      const hasShopChanged = await syncShop({ db, connectorOf }, storeId)
      if (!ensured.ok) return ensured
      const { created, updated, removed } = ensured.value
      const changed = created.length + updated.length + removed + Number(hasShopChanged) + scopes.value
      return { ok: true, value: { changed } }
    },

    async checkMoved() {
      const { url } = webhooks()
      for (const { storeId, status, connectedAt, webhooksUrl } of await listStores(db)) {
        if (status === 'active' && connectedAt && webhooksUrl !== url) await db.inStore(storeId, checkConnectionNow)
      }
    },

    async checkUninstalled(storeId) {
      const access = await accessOf(storeId)
      const shop = await connectors.to(access).shop.read()
      if (shop.ok) return
      if (shop.failure.kind !== 'unauthorized') unwrap(shop)
      const disconnection = await disconnectStore(db, vault, storeId, access.accessToken)
      if (disconnection === 'other_token') throw new Error('The store got another access token since it was refused')
      connectors.forget(storeId)
      if (disconnection === 'was_disconnected') return
      onConnectionChange(storeId, `The platform has uninstalled the app: ${NOT_BILLED}`)
      await db.inStore(storeId, (ctx) =>
        notify(ctx, {
          kind: 'disconnected',
          subject: 'The store is disconnected from its platform',
          message:
            'The platform has uninstalled the app. Until the store is connected again, nothing is billed and the platform is ' +
            'not called. All data stays.'
        })
      )
    },

    async leave(storeId) {
      const webhooksRemoved = await Promise.race([leaveShop(storeId), sleep(LEAVE_WITHIN_MS, false, { ref: false })])
      connectors.forget(storeId)
      if ((await disconnectStore(db, vault, storeId)) === 'done') {
        onConnectionChange(storeId, `An operator has disconnected the store: ${NOT_BILLED}`)
      }
      return { webhooksRemoved }
    }
  }
}

const NOT_BILLED = 'nothing is billed until it is connected again'
/** How long an operator waits for the platform. */
const LEAVE_WITHIN_MS = 10_000
