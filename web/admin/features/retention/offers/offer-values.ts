import type { Offer } from '../queries.ts'

/** An offer as it is edited: the rules of every type, so that nothing typed is lost when another type is looked at. */
export function offerValues(offer: Offer | null) {
  const rules: Offer['rules'] = offer?.rules ?? {}
  return {
    name: offer?.name ?? '',
    description: offer?.description ?? '',
    type: (offer?.type ?? 'discount_price') as Offer['type'],
    reasons: offer?.reasons ?? [],
    discount_type: (rules.discount_type ?? 'percentage') as 'percentage' | 'fixed_amount',
    discount_value: textOf(rules.discount_value),
    // A new offer is for one cycle until somebody says otherwise: it costs the least.
    recurring_cycle_limit: offer ? textOf(rules.recurring_cycle_limit) : '1',
    interval_count: textOf(rules.interval_count ?? 2),
    interval_name: (rules.interval_name ?? 'month') as string,
    credit_amount: textOf(rules.credit_amount),
    target_type: (offer?.target_type ?? 'LINE_ITEM') as 'LINE_ITEM' | 'SHIPPING_LINE',
    applies_on_each_item: offer?.applies_on_each_item ?? false,
    min_member_days: textOf(offer?.eligibility.min_member_days ?? 0),
    min_days_since_offer: textOf(offer?.eligibility.min_days_since_offer ?? 0),
    in_trial: offer?.eligibility.in_trial ?? true,
    enabled: offer?.enabled ?? true
  }
}

export type OfferValues = ReturnType<typeof offerValues>

export function offerBody(values: OfferValues) {
  const { type } = values
  const isDelivery = values.target_type === 'SHIPPING_LINE'
  return {
    name: values.name,
    description: values.description.trim() || null,
    type,
    rules: rulesBody(values) as Record<string, never>,
    reasons: values.reasons,
    enabled: values.enabled,
    ...(type === 'discount_price' && {
      target_type: values.target_type,
      applies_on_each_item: !isDelivery && values.discount_type === 'fixed_amount' && values.applies_on_each_item
    }),
    eligibility: {
      min_member_days: numberOr(values.min_member_days) as number,
      min_days_since_offer: numberOr(values.min_days_since_offer) as number,
      in_trial: values.in_trial
    }
  }
}

function rulesBody(values: OfferValues): object {
  if (values.type === 'add_store_credits') return { credit_amount: numberOr(values.credit_amount) }
  if (values.type === 'change_frequency') {
    return { interval_count: numberOr(values.interval_count), interval_name: values.interval_name }
  }
  const limit = values.recurring_cycle_limit.trim()
  // Delivery can only be free.
  const isDelivery = values.target_type === 'SHIPPING_LINE'
  return {
    discount_type: isDelivery ? 'percentage' : values.discount_type,
    discount_value: isDelivery ? 100 : numberOr(values.discount_value),
    recurring_cycle_limit: limit === '' ? null : numberOr(limit)
  }
}

/** The field of the form that a path of the API is. */
export function offerField(path: string): string | null {
  const name = path.replace(/^(rules|eligibility)\./, '').replace(/\[.*$/, '')
  return Object.hasOwn(offerValues(null), name) ? name : null
}

const textOf = (value: number | undefined) => (value === undefined ? '' : String(value))

/** A number where it is one; what else was typed is refused at its field. */
const numberOr = (text: string): number | string =>
  text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text
