import { realNow } from '#kit/clock'
import { bool, type Database, row, sql, text } from '#kit/postgres'
import { type Connector, unwrap } from '#platform'
import { beginStoreDeletion } from '#stores'
import { type DueRequest, markRefused } from './queries.ts'

export type ShopDeps = { db: Database; connectorOf: (storeId: number) => Promise<Connector> }

const Shop = row({ domain: text, name: text, isConnected: bool })

/**
 * The platform asks for it two days after a shop has uninstalled the app: the store is deleted with everything it has. That this was asked for
 * and done stays, without its name. Refused where the app is installed again: then the message is old.
 */
export async function eraseShop({ db, connectorOf }: ShopDeps, storeId: number, request: DueRequest): Promise<void> {
  const { domain, name, isConnected } = await db.inStore(storeId, (ctx) =>
    ctx.tx.one(
      Shop,
      sql`
      select domain, name, status = 'active' and connected_at is not null as is_connected from stores
       where store_id = ${ctx.storeId}`
    )
  )
  if (isConnected && (await isInstalled(await connectorOf(storeId)))) {
    await db.inStore(storeId, (ctx) =>
      markRefused(ctx, request.id, 'The app is installed in the shop: the request is older than that')
    )
    return
  }
  const key = db.pseudonym(storeId, `shop:${domain}`)
  if (!key) throw new Error('This process has no key for pseudonyms')
  await db.inInstallation((tx) =>
    tx.run(sql`
      insert into erased_shops (shop_key, deleted_store, requested_at, deleted_at)
      values (${key}, ${storeId}, ${request.receivedAt}, ${realNow()})
      on conflict (deleted_store) do nothing`)
  )
  await beginStoreDeletion(db, { storeId, name }, name)
}

async function isInstalled(connector: Connector): Promise<boolean> {
  const shop = await connector.shop.read()
  if (shop.ok) return true
  if (shop.failure.kind !== 'unauthorized') unwrap(shop)
  return false
}
