import { createHmac } from 'node:crypto'
import { type ContractOffer, listActiveOffers } from '#churn'
import { listAvailableCredit } from '#credits'
import { decimalOf, numberOf } from '#kit/money'
import type { Ctx } from '#kit/postgres'
import { storableError } from '#kit/storable-json'
import { gid, type ProfileName } from '#platform'
import { storeContext } from '#stores'
import { customerSubscription1 } from './customer/customer-subscription1.ts'
import { subscriptionGifts } from './customer/customer-subscription1-gifts.ts'
import { subscriptionParent } from './customer/customer-subscription1-parent.ts'
import { customerSubscription2 } from './customer/customer-subscription2.ts'
import type { CustomerSubscription } from './customer/subscription-fields.ts'
import { customerHash } from './customer/svc-hash.ts'
import { memberDetails } from './customer/svc-member-details.ts'
import { storeCredit } from './customer/svc-st.ts'
import { redemptionId } from './customer/svc-st-id.ts'
import { type CustomerRow, listCustomerRows, listMembershipRows, type MembershipRow } from './customer-rows.ts'
import { findHashSecret } from './metafield-store.ts'
import { type Wanted, want } from './wanted-metafields.ts'

const LIVE = { active: 1, paused: 2, cancelled: 3, failed: 3, expired: 3 } as const

/** What a customer is to have. `platformId`: the platform's number. `problem`: why that cannot be said; then nothing is to be changed. */
export type DerivedCustomer = { platformId: string; isGone: boolean; wanted: Wanted; problem: string | null }

/**
 * The metafields of customers as they are to be now, by our number; nothing for a customer whom none concerns, and none for one whom the
 * platform does not have any more.
 */
export async function deriveCustomerMetafields(ctx: Ctx, memberIds: number[]): Promise<Map<number, DerivedCustomer>> {
  if (memberIds.length === 0) return new Map()
  const { profile, timezone, currency } = await storeContext(ctx)
  const secret = await findHashSecret(ctx)
  const customers = await listCustomerRows(ctx, memberIds)
  const memberships = await listMembershipRows(ctx, memberIds, timezone)
  const available = await listAvailableCredit(ctx, memberIds)
  const offers = await listActiveOffers(
    ctx,
    memberships.map(({ id }) => id)
  )
  const heldBy = Map.groupBy(memberships, ({ holderId }) => holderId)
  const paidBy = Map.groupBy(memberships, ({ payerId }) => payerId)
  return new Map(
    customers.map((customer) => {
      const { id, platformId, isGone } = customer
      const wanted: Wanted = new Map()
      const one: DerivedCustomer = { platformId, isGone, wanted, problem: null }
      if (isGone || customer.isWithdrawn) return [id, one]
      try {
        wantAll(wanted, customer)
      } catch (err) {
        // One whose data cannot be encoded must not keep all others from theirs.
        one.problem = storableError(`What the customer is to have cannot be said: ${(err as Error).message}`)
      }
      return [id, one]
    })
  )

  function wantAll(wanted: Wanted, customer: CustomerRow): void {
    const { id, platformId, points, birthDate } = customer
    const gifts = giftsOf(paidBy.get(id) ?? [])
    const isConcerned =
      customer.isMember || customer.hasCredit || points !== null || birthDate !== null || gifts.length > 0
    if (!isConcerned) return
    wantMemberships(wanted, heldBy.get(id) ?? [], offers, profile)
    if (gifts.length > 0)
      want(
        wanted,
        subscriptionGifts,
        gifts.map((one) => asGift(one, profile))
      )
    want(
      wanted,
      customerHash,
      createHmac('sha256', secret)
        .update(gid(profile, 'Customer', platformId))
        .digest('hex')
    )
    want(wanted, storeCredit, decimalOf(Math.max(0, available.get(id) ?? 0), currency))
    if (customer.redemptionId !== null) want(wanted, redemptionId, customer.redemptionId)
    want(wanted, memberDetails, { loyalty_points: points ?? 0, birth_date: birthDate })
  }
}

/**
 * Of the memberships that a customer holds, the first decides their status: a live one before one that has ended, of live ones VIP before Elite. The
 * second is the next one that lives or is of the other type: an older one of the same type is history.
 */
function wantMemberships(
  wanted: Wanted,
  held: MembershipRow[],
  offers: ReadonlyMap<number, ContractOffer>,
  profile: ProfileName
): void {
  const [first, ...others] = held.toSorted(
    (a, b) =>
      LIVE[a.status] - LIVE[b.status] ||
      // Of those that ended, the one that ended last, as for the status of the member.
      (a.type === b.type || LIVE[a.status] === 3 ? 0 : a.type === 'vip' ? -1 : 1) ||
      (b.cancelledAt?.epochMilliseconds ?? 0) - (a.cancelledAt?.epochMilliseconds ?? 0) ||
      // Of live ones the oldest, as for the status of the member; of ended ones the newest.
      (LIVE[a.status] < 3 ? a.id - b.id : b.id - a.id)
  )
  if (!first) return
  const asHeld = (one: MembershipRow) => asSubscription(one, offers.get(one.id) ?? null)
  want(wanted, customerSubscription1, asHeld(first))
  const second = others.find(({ status, type }) => LIVE[status] < 3 || type !== first.type)
  if (second) want(wanted, customerSubscription2, asHeld(second))
  const given = [first, second].find((one) => one && one.payerId !== one.holderId && !one.payerIsGone)
  if (!given) return
  want(wanted, subscriptionParent, {
    subscription_id: gid(profile, 'SubscriptionContract', given.platformContractId),
    customer: personOf(given.payerPlatformId, given.payerEmail, [given.payerFirstName, given.payerLastName], profile)
  })
}

/** Active and paused ones. */
const giftsOf = (paid: MembershipRow[]) =>
  paid.filter(({ holderId, payerId, status }) => holderId !== payerId && LIVE[status] < 3)

function asSubscription(one: MembershipRow, offer: ContractOffer | null): CustomerSubscription {
  return {
    name: one.name,
    status: one.status,
    member_since: one.memberSince,
    next_billing: one.nextBilling,
    scid: one.platformContractId,
    price: decimalOf(one.priceMinor, one.currency),
    currency: one.currency,
    offers: offer === null ? [] : [asOffer(offer)]
  }
}

/** An active offer (spec 3, offer element). */
function asOffer(offer: ContractOffer): CustomerSubscription['offers'][number] {
  const { offerId, type, currency, percent, amountMinor, cycles, interval, intervalCount, creditMinor } = offer
  const offer_id = String(offerId)
  switch (type) {
    case 'discount_price':
      return {
        ...{ offer_id, type, recurring_cycle_limit: cycles },
        discount_value: percent ?? numberOf(amountMinor!, currency),
        discount_type: percent === null ? 'fixed_amount' : 'percentage'
      }
    case 'change_frequency':
      return { offer_id, type, interval: interval!, interval_count: intervalCount! }
    case 'add_store_credits':
      return { offer_id, type, credit_amount: numberOf(creditMinor!, currency) }
  }
}

function asGift(one: MembershipRow, profile: ProfileName) {
  return {
    customer: personOf(one.holderPlatformId, one.holderEmail, [one.holderFirstName, one.holderLastName], profile),
    subscription: {
      name: one.name,
      status: one.status,
      member_since: one.memberSince,
      next_billing: one.nextBilling,
      scid: one.platformContractId
    }
  }
}

function personOf(id: string, email: string | null, names: (string | null)[], profile: ProfileName) {
  return { id: gid(profile, 'Customer', id), email: email ?? '', name: names.filter(Boolean).join(' ') }
}
