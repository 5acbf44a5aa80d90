import { type Static, Type } from 'typebox'
import { listSaveRates, type SaveRate } from '#churn'
import { OrNull } from '#resources'
import type { Surface } from '../../shared/surface.ts'
import { StoreParams, storeOf } from '../store.ts'

const MAX_MONTHS = 36
const DEFAULT_MONTHS = 12

const count = (description: string) => Type.Integer({ description })
const stayed = (days: number) =>
  Type.Object(
    {
      accepted: count(`Of those, the ones that were accepted at least ${days} days ago`),
      active: count('Of these, the ones whose contract had not ended by then')
    },
    { description: `What there was after ${days} days of 24 hours` }
  )

const counts = {
  shown: count('How often it was shown'),
  accepted: count('How often it was accepted'),
  after_30_days: stayed(30),
  after_60_days: stayed(60),
  after_90_days: stayed(90)
}

const RateBody = Type.Object({
  month: Type.String({ description: 'A month of the shop, `2026-11`: that in which it was shown or accepted' }),
  reason: OrNull(
    Type.String({ description: 'The alias of the reason; null for acceptances by programs that gave none' })
  ),
  offer_id: OrNull(Type.Integer({ description: 'The offer; null for how often the reason was shown without one' })),
  offer_name: OrNull(Type.String({ description: 'Its name, as it is now' })),
  ...counts
})

const Totals = Type.Object(counts, {
  description: 'The sums of all of these; what was shown without an offer is not in them'
})

const exampleCounts = {
  shown: 40,
  accepted: 6,
  after_30_days: { accepted: 4, active: 3 },
  after_60_days: { accepted: 0, active: 0 },
  after_90_days: { accepted: 0, active: 0 }
}

const ReportBody = Type.Object(
  {
    months: Type.Integer({ description: 'How many months it covers, the present one included' }),
    timezone: Type.String({ description: 'Of the shop, whose months these are' }),
    data: Type.Array(RateBody, { description: 'The newest month first, then by reason and offer' }),
    total: Totals
  },
  {
    title: 'ChurnReport',
    description: 'What came of offers to people who cancel.',
    examples: [
      {
        months: 12,
        timezone: 'Europe/Vienna',
        data: [
          {
            month: '2026-11',
            reason: 'too_expensive',
            offer_id: 3,
            offer_name: '25 % off for three months',
            ...exampleCounts
          }
        ],
        total: exampleCounts
      }
    ]
  }
)

/** GET /stores/{store}/churn/report */
export function getChurnReportRoute(admin: Surface): void {
  admin.get(
    '/stores/:store/churn/report',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'getChurnReport',
        summary: 'Read what came of offers',
        description:
          'By month of the shop, reason and offer: how often it was shown and accepted, and how many contracts were still there 30, 60 and 90 days after the acceptance. Each of these is out of the acceptances that are so long ago, so that no rate is of the future.',
        params: StoreParams,
        querystring: Type.Object({
          months: Type.Optional(
            Type.Integer({
              minimum: 1,
              maximum: MAX_MONTHS,
              default: DEFAULT_MONTHS,
              description: `an integer from 1 to ${MAX_MONTHS}`,
              meaning: 'How many months, the present one included',
              examples: [DEFAULT_MONTHS]
            })
          )
        }),
        response: { 200: ReportBody }
      }
    },
    async (request) => {
      const { months = DEFAULT_MONTHS } = request.query
      const rates = await request.inStore((ctx) => listSaveRates(ctx, months))
      return {
        months,
        timezone: storeOf(request).timezone,
        data: rates.map(presentRate),
        total: totalOf(rates.filter(({ offerId }) => offerId !== null))
      }
    }
  )
}

const presentRate = ({ month, reason, offerId, offerName, ...rate }: SaveRate): Static<typeof RateBody> => ({
  month,
  reason,
  offer_id: offerId,
  offer_name: offerName,
  shown: rate.shown,
  accepted: rate.accepted,
  after_30_days: rate.after30,
  after_60_days: rate.after60,
  after_90_days: rate.after90
})

function totalOf(rates: SaveRate[]): Static<typeof Totals> {
  const sum = (of: (rate: SaveRate) => number) => rates.reduce((sofar, rate) => sofar + of(rate), 0)
  const after = (which: 'after30' | 'after60' | 'after90') => ({
    accepted: sum((rate) => rate[which].accepted),
    active: sum((rate) => rate[which].active)
  })
  return {
    shown: sum(({ shown }) => shown),
    accepted: sum(({ accepted }) => accepted),
    after_30_days: after('after30'),
    after_60_days: after('after60'),
    after_90_days: after('after90')
  }
}
