import type { Ctx } from '#kit/postgres'
import { settingsOf } from '#stores'
import { endChargesPastDeadline } from '#subscriptions'
import { dunningSettings } from './settings.ts'

/** Ends charges, up to `limit`, that waited for a new payment method past their deadline, as the store has set. Returns how many. */
export async function endHeldCharges(ctx: Ctx, limit: number): Promise<number> {
  const { onFailure } = await settingsOf(ctx, dunningSettings)
  return endChargesPastDeadline(ctx, limit, onFailure)
}
