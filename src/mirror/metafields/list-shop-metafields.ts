import { bool, type Ctx, type Database, nullable, row, sql, text } from '#kit/postgres'
import type { Connector } from '#platform'
import { metafieldsNotKept, metafieldsNotRead } from '../refusals.ts'
import { keysOf, METAFIELDS } from './all-metafields.ts'
import { deriveWanted } from './derive-wanted.ts'
import { ownerKey } from './owner-queries.ts'
import { areFactsWaiting } from './read-differences.ts'
import { hashOf, SHOP } from './wanted-metafields.ts'

/** A metafield of the shop, as it is wanted and as the platform has it; null: it is not to be there, or is not there. */
export type ShopMetafield = {
  key: string
  name: string
  help: string
  wanted: string | null
  found: string | null
  isInStep: boolean
}

/** `isWaiting`: the shop is compared or written soon, so that what differs may be under way. `problem`: why something cannot be written. */
export type ShopMetafields = { metafields: ShopMetafield[]; isWaiting: boolean; problem: string | null }

/** Reads every metafield of the shop from the platform. Changes nothing. */
export async function listShopMetafields(
  { db, connectorOf }: { db: Database; connectorOf: (storeId: number) => Promise<Connector> },
  storeId: number
): Promise<ShopMetafields> {
  const { metafields } = await connectorOf(storeId)
  const shown = await metafields.findOfShop(keysOf('shop'))
  if (!shown.ok) throw metafieldsNotRead(shown.failure.message)
  return db.inStore(storeId, async (ctx) => {
    const wanted = (await deriveWanted(ctx, [SHOP])).get(ownerKey(SHOP))
    const state = await findStateOfShop(ctx)
    if (!wanted || !state) throw metafieldsNotKept()
    const all = METAFIELDS.filter(({ owner }) => owner === 'shop').map(({ key, name, help }) => {
      const [want, found] = [wanted.get(key), shown.value.metafields.get(key)]
      return {
        ...{ key, name, help },
        wanted: want?.value ?? null,
        found: found?.value ?? null,
        isInStep: want && found ? want.hash === hashOf(found.type, found.value) : !want && !found
      }
    })
    return { metafields: all, isWaiting: state.isDue || (await areFactsWaiting(ctx)), problem: state.problem }
  })
}

const StateOfShop = row({ isDue: bool, problem: nullable(text) })

/** Null for a store that was never connected. */
const findStateOfShop = (ctx: Ctx) =>
  ctx.tx.maybeOne(
    StateOfShop,
    sql`
    select due_at is not null as is_due, problem from metafield_owners
     where store_id = ${ctx.storeId} and kind = ${SHOP.kind} and owner_id = ${SHOP.ownerId}`
  )
