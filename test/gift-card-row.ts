import { type Database, sql } from '#kit/postgres'

/** A gift card with nothing on it, as a customer has it whose plan paid out gift cards before; the platform does not know it. */
export async function addGiftCardRow(db: Database, storeId: number, customerId: string): Promise<void> {
  const memberId = Number(customerId.slice('cust_'.length))
  await db.inStore(storeId, ({ tx, now }) =>
    tx.run(sql`
      insert into spending_gift_cards (store_id, member_id, status, last_characters, reference, created_at)
      values (${storeId}, ${memberId}, 'active', 'wxyz', ${crypto.randomUUID()}, ${now})`)
  )
}
