import { type Static, Type } from 'typebox'
import { type ContractOffer, contractOfferJson } from '#churn'
import { decimalOf } from '#kit/money'
import type { OwnContract } from '#lifecycle'
import { ContractOfferBody, OrNull } from '#resources'
import { chargeMinorOf } from '#subscriptions'
import { shopDay, shopMinute } from '../shop-time.ts'

const text = (description: string) => Type.String({ description })
const may = (what: string) => Type.Boolean({ description: `Whether the customer may ${what} now` })

export const AccountContract = Type.Object(
  {
    contract_id: text("The platform's number of the contract"),
    name: text('The name of its plan, or of what it is for'),
    kind: text('`VIP`, `Elite` or `product`'),
    status: text('`ACTIVE`, `PAUSED` or `CANCELLED`'),
    price: text('The agreed price of a cycle; a decimal'),
    price_with_offer: text(
      'What a cycle is charged with the active offer, after all discounts; empty where none changes it'
    ),
    currency: text('ISO 4217'),
    interval_name: text('`DAY`, `WEEK`, `MONTH` or `YEAR`'),
    interval_count: Type.Integer({ description: 'How many of these are between two charges' }),
    next_billing_date: text('The day of the next charge; empty where there is none'),
    resumes_at: text('The day on which a pause ends by itself; empty where it does not'),
    cancelled_date: text('When it was cancelled; empty while it lives'),
    reactivate_until: text('Until when its cancellation can be taken back; empty where it cannot'),
    offer: OrNull(ContractOfferBody),
    actions: Type.Object(
      {
        cancel: may('cancel it'),
        reactivate: may('take its cancellation back'),
        pause: may('pause it'),
        resume: may('resume it'),
        skip: may('skip its next payment')
      },
      { description: 'What the customer may do with it' }
    )
  },
  {
    title: 'AccountContract',
    description: 'A contract of the customer.',
    examples: [
      {
        contract_id: '9264106591',
        name: 'VIP',
        kind: 'VIP',
        status: 'ACTIVE',
        price: '29.00',
        price_with_offer: '',
        currency: 'USD',
        interval_name: 'MONTH',
        interval_count: 1,
        next_billing_date: '2026-12-15',
        resumes_at: '',
        cancelled_date: '',
        reactivate_until: '',
        offer: null,
        actions: { cancel: true, reactivate: false, pause: false, resume: false, skip: false }
      }
    ]
  }
)

const KINDS = { vip: 'VIP', elite: 'Elite', product: 'product' } as const

export function presentAccountContract(
  { subscription: s, planType, actions }: OwnContract,
  offer: ContractOffer | null,
  timezone: string
): Static<typeof AccountContract> {
  return {
    contract_id: s.platformContractId,
    name: s.name,
    kind: KINDS[planType ?? 'product'],
    status: s.status.toUpperCase(),
    price: decimalOf(s.priceMinor, s.currency),
    price_with_offer: offer?.type === 'discount_price' ? decimalOf(chargeMinorOf(s), s.currency) : '',
    currency: s.currency,
    interval_name: s.interval.toUpperCase(),
    interval_count: s.intervalCount,
    next_billing_date: shopDay(s.nextBillingAt, timezone),
    resumes_at: shopDay(s.resumesAt, timezone),
    cancelled_date: shopMinute(s.cancelledAt, timezone),
    reactivate_until: actions.reactivate ? shopMinute(s.graceEndsAt, timezone) : '',
    offer: offer && contractOfferJson(offer),
    actions
  }
}
