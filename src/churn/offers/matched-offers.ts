import { bool, directSql, int, nullable, oneOf, type Queries, row, text } from '#kit/postgres'
import { withStandards } from '../reasons/reason-queries.ts'
import { REASON_ALIASES, type Reason, type ReasonAlias } from '../reasons/reasons.ts'
import { type Offer, OfferRow } from './offer.ts'

/** A reason with the offers that are made for it. */
export type MatchedReason = { reason: Reason; offers: Offer[] }

/** A reason, as far as the store has changed it, with one of its offers or without. */
const ReasonColumns = row({
  alias: oneOf(...REASON_ALIASES),
  title: nullable(text),
  reasonDescription: nullable(text),
  position: nullable(int),
  isReasonOn: nullable(bool),
  offerId: nullable(int)
})
const MatchRow = Object.assign(
  (raw: Record<string, unknown>) => ({
    ...ReasonColumns(raw),
    offer: raw.offer_id === null ? null : OfferRow({ ...raw, id: raw.offer_id })
  }),
  { columns: [...ReasonColumns.columns, ...OfferRow.columns.filter((name) => name !== 'id')] }
)

const offersOfReasons = directSql<[storeId: number, aliases: string[]]>(
  'churn_offers_of_reasons',
  `select a.alias, r.title, r.description as reason_description, r.position, r.is_on as is_reason_on,
          o.id as offer_id, o.name, o.description, o.type, o.currency, o.percent, o.amount_minor, o.cycles, o.target, o.is_of_each_item,
          o.interval, o.interval_count, o.credit_minor, o.min_member_days, o.min_days_since_offer, o.is_for_trials, o.is_on,
          o.created_at, o.updated_at
     from unnest($2::text[]) as a(alias)
     left join churn_reasons r on r.store_id = $1 and r.alias = a.alias
     left join (churn_offer_reasons m join churn_offers o on o.store_id = $1 and o.id = m.offer_id and o.is_on)
       on m.store_id = $1 and m.alias = a.alias
    order by a.alias, o.id`
)

/**
 * The reasons that are switched on, in their order, each with its offers that are switched on, oldest first: in one round trip. `alias`: only
 * this one; nothing where it is switched off. `queries` is the direct pool, outside row-level security, or a transaction.
 */
export async function listMatchedOffers(
  queries: Queries,
  storeId: number,
  alias: ReasonAlias | null = null
): Promise<MatchedReason[]> {
  const rows = await queries.many(MatchRow, offersOfReasons(storeId, alias === null ? [...REASON_ALIASES] : [alias]))
  const byAlias = Map.groupBy(rows, (one) => one.alias)
  const changed = [...byAlias.values()].flatMap(([first]) => {
    const { alias, title, reasonDescription: description, position, isReasonOn: isOn } = first!
    return title === null || position === null || isOn === null ? [] : { alias, title, description, position, isOn }
  })
  return withStandards(changed)
    .filter((reason) => reason.isOn && byAlias.has(reason.alias))
    .map((reason) => ({ reason, offers: byAlias.get(reason.alias)!.flatMap(({ offer }) => offer ?? []) }))
}
