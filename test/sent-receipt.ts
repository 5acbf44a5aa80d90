import type { Database } from '#kit/postgres'
import { receiveReceipt } from '#loyalty'
import { findCustomerId, parseCustomerId } from '#members'
import { storeContext } from '#stores'
import { receiptFiles } from './receipt-files.ts'
import { aPng } from './receipt-samples.ts'

/** The id of a receipt that a customer has sent today. `says` makes its file another one. */
export async function sentReceipt(
  db: Database,
  storeId: number,
  { customer, ruleId, says }: { customer: string; ruleId: number; says: string }
): Promise<string> {
  const known = await db.inStore(storeId, async (ctx) => ({
    customerId: (await findCustomerId(ctx, parseCustomerId(customer, 'platform')))!,
    purchasedOn: ctx.now.toZonedDateTimeISO((await storeContext(ctx)).timezone).toPlainDate()
  }))
  const file = { bytes: aPng(says), contentType: 'image/png' as const }
  const printed = { retailer: 'Walk', number: says, amountMinor: 100 }
  const { id } = await receiveReceipt({ db, files: receiptFiles }, storeId, { ...known, ...printed, ...file, ruleId })
  return String(id)
}
