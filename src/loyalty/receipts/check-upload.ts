import type { Ctx } from '#kit/postgres'
import { invalidField } from '#kit/refusal'
import { storeContext } from '#stores'
import { isFor, listStandings } from '../earning/customer-standing.ts'
import { isLoyaltyOn } from '../is-loyalty-on.ts'
import { countsNothingNow, loyaltyIsOff } from '../refusals.ts'
import { type LoyaltyRule, wasActive } from '../rules/rule.ts'
import { listRules } from '../rules/rule-queries.ts'
import { countWaiting, findSamePurchase, isFileKnown, type NewReceipt } from './receipt-queries.ts'
import { fileSentBefore, noReceiptRule, purchaseSentBefore, tooManyWaiting } from './receipt-refusals.ts'

/** A customer cannot fill the disk. */
const MAX_WAITING = 20

/** What the rule of a receipt says of it. */
type ReceiptTerms = { accepted_retailers: string[]; auto_approve: boolean }

/**
 * The rule by which a receipt would count, and the name of its shop as the rule has it. Refuses one that does not count now, or counted before. The
 * customer is locked.
 */
export async function checkUpload(
  ctx: Ctx,
  receipt: NewReceipt
): Promise<{ rule: LoyaltyRule; retailer: string; isApprovedAtOnce: boolean }> {
  const { memberId, ruleId, purchasedOn, contentHash } = receipt
  const rule = (await listRules(ctx)).find(({ id }) => id === ruleId)
  if (!rule?.type.counts.amounts.receipt) throw noReceiptRule()
  if (!(await isLoyaltyOn(ctx))) throw loyaltyIsOff()
  const { timezone } = await storeContext(ctx)
  if (!wasActive(rule, ctx.now, timezone)) throw countsNothingNow(ruleId, 'is not active')
  const standing = (await listStandings(ctx, [memberId])).get(memberId)!
  if (!isFor(rule, standing)) throw countsNothingNow(ruleId, 'is not for this customer')
  refuseOtherDays(rule, purchasedOn, ctx.now.toZonedDateTimeISO(timezone).toPlainDate())
  const { accepted_retailers: accepted, auto_approve: isApprovedAtOnce } = rule.rules as ReceiptTerms
  const retailer = acceptedRetailer(receipt.retailer, accepted)
  if (await isFileKnown(ctx, contentHash)) throw fileSentBefore()
  if ((await findSamePurchase(ctx, { ...receipt, id: null, retailer })) !== null) throw purchaseSentBefore()
  if ((await countWaiting(ctx, memberId)) >= MAX_WAITING) throw tooManyWaiting(MAX_WAITING)
  return { rule, retailer, isApprovedAtOnce }
}

/** A purchase counts that was made while the rule counts. */
function refuseOtherDays({ startsOn }: LoyaltyRule, purchasedOn: Temporal.PlainDate, today: Temporal.PlainDate): void {
  const isBefore = (a: Temporal.PlainDate, b: Temporal.PlainDate) => Temporal.PlainDate.compare(a, b) < 0
  if (isBefore(today, purchasedOn)) throw invalidField('purchased_on', `must not be after today, ${today} in the shop`)
  if (isBefore(purchasedOn, startsOn)) {
    throw invalidField('purchased_on', `must be ${startsOn} or later: from then on the rule counts purchases`)
  }
}

/** The name as the rule has it; of a rule for any shop as it was given. */
function acceptedRetailer(given: string, accepted: string[]): string {
  if (accepted.length === 0) return given
  const found = accepted.find((name) => comparable(name) === comparable(given))
  if (found === undefined) throw invalidField('retailer', `must be one of ${accepted.join(', ')}`)
  return found
}

const comparable = (name: string) => name.normalize('NFKC').trim().replaceAll(/\s+/g, ' ').toLowerCase()
