import { type Database, sql } from '#kit/postgres'

/** Has the members of a store spend their credit by discount codes, whatever their plans issue. */
export async function spendByCodes(db: Database, storeId: number): Promise<void> {
  await db.inStore(storeId, ({ tx }) =>
    tx.run(sql`update plans set credit_type = 'coupon' where store_id = ${storeId}`)
  )
}
