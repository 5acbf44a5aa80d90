import type { Ctx } from '#kit/postgres'
import { lockKeptCustomer } from '#members'
import { settingsOf } from '#stores'
import { countDeeds } from '../earning/count-deeds.ts'
import { isLoyaltyOn } from '../is-loyalty-on.ts'
import { lockLoyalty } from '../lock-loyalty.ts'
import { loyaltyIsOff } from '../refusals.ts'
import { loyaltySettings } from '../settings.ts'
import { type Receipt, receiptCause } from './receipt.ts'
import { keepFileUntil } from './receipt-file-queries.ts'
import { findReceipt, findSamePurchase, markApproved, markRefused } from './receipt-queries.ts'
import { receiptNotFound, samePurchase } from './receipt-refusals.ts'

/**
 * Approves a receipt, over another amount than the customer has entered where `amountMinor` is given, and counts it by what its rule said when
 * it was uploaded. Safe to repeat; another amount takes back what it has earned and gives it anew. A receipt that was refused may be approved after all.
 */
export async function approveReceipt(
  ctx: Ctx,
  id: number,
  { amountMinor, by }: { amountMinor: number | null; by: 'rule' | 'operator' }
): Promise<Receipt> {
  const receipt = await lockReceipt(ctx, id)
  const { status } = receipt
  const approvedMinor = amountMinor ?? receipt.approvedMinor ?? receipt.amountMinor
  if (status === 'approved' && receipt.approvedMinor === approvedMinor) return receipt
  // What is counted while loyalty is off would never be rewarded.
  if (!(await isLoyaltyOn(ctx))) throw loyaltyIsOff()
  if (status === 'refused') {
    // Nobody may send the same purchase meanwhile.
    await lockLoyalty(ctx)
    const other = await findSamePurchase(ctx, receipt)
    if (other !== null) throw samePurchase(id, other)
  }
  await markApproved(ctx, id, { approvedMinor, by })
  return settle(ctx, receipt, approvedMinor)
}

/** Refuses a receipt; one that was approved loses what it has earned, at most what is left of it. Safe to repeat. */
export async function refuseReceipt(ctx: Ctx, id: number, reason: string): Promise<Receipt> {
  const receipt = await lockReceipt(ctx, id)
  if (receipt.status === 'refused' && receipt.reason === reason) return receipt
  await markRefused(ctx, id, reason)
  return settle(ctx, receipt, 0)
}

/** A receipt, whose customer is locked. */
async function lockReceipt(ctx: Ctx, id: number): Promise<Receipt> {
  const found = await findReceipt(ctx, id)
  if (!found) throw receiptNotFound(id)
  await lockKeptCustomer(ctx, found.memberId)
  const receipt = await findReceipt(ctx, id)
  if (!receipt) throw receiptNotFound(id)
  return receipt
}

/** Counts a receipt that was decided. Its file is looked at for a while yet. */
async function settle(ctx: Ctx, { id, memberId, ruleId, uploadedAt }: Receipt, amountMinor: number): Promise<Receipt> {
  const { receiptFileDays: days } = await settingsOf(ctx, loyaltySettings)
  await keepFileUntil(ctx, id, days === null ? null : ctx.now.add({ hours: 24 * days }))
  const cause = { kind: 'receipt' as const, amountMinor }
  await countDeeds(ctx, [{ memberId, cause, key: receiptCause(id), at: uploadedAt, orderId: null, ruleId }])
  return (await findReceipt(ctx, id))!
}
