import { consumer } from '#kit/outbox'
import type { Ctx } from '#kit/postgres'
import { invalidField } from '#kit/refusal'
import { settingsOf } from '#stores'
import { refreshContractDiscounts } from '../contract-discounts/refresh-contract-discounts.ts'
import { discountSettings } from '../settings.ts'
import { askForDiscounts } from './discount-queries.ts'

/** Stores of before begin with a comparison. */
export const discountsConsumer = consumer('discounts', ['plan.changed'], refreshDiscounts, { from: 'now' })

/** Has the discounts of a store compared now, and those of its members' product contracts: a plan or a setting is another. */
export async function refreshDiscounts(ctx: Ctx): Promise<void> {
  await refreshContractDiscounts(ctx)
  await askForDiscounts(ctx)
}

/** Refuses settings that ask for a function and name none. To be called after the change. */
export async function assertDiscountSettings(ctx: Ctx): Promise<void> {
  const { enforcedBy, functionHandle } = await settingsOf(ctx, discountSettings)
  if (enforcedBy !== 'function' || functionHandle.trim() !== '') return
  throw invalidField(
    'discounts.function_handle',
    'must be the handle of the discount function where discounts.enforced_by is function'
  )
}
