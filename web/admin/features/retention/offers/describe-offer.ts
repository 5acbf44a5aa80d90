import { useFormats } from '../../../shared/format/formats.ts'
import type { Offer } from '../queries.ts'
import { useRetentionTexts } from '../texts.ts'
import { useOfferTexts } from './texts.ts'

type Terms = Pick<Offer, 'type' | 'rules'> & Partial<Pick<Offer, 'target_type' | 'applies_on_each_item' | 'currency'>>

/** What an offer gives, and to whom, each in a sentence. */
export function useDescribedOffer(currencyOfStore: string) {
  const { says } = useOfferTexts()
  const texts = useRetentionTexts()
  const { money, count, percent } = useFormats()

  function gives({ type, rules, target_type, applies_on_each_item, currency = currencyOfStore }: Terms): string {
    if (type === 'change_frequency') return says.frequency(rules.interval_count ?? 1, rules.interval_name ?? 'month')
    if (type === 'add_store_credits') return says.credit(money(rules.credit_amount ?? 0, currency))
    const limit = rules.recurring_cycle_limit
    const howLong = limit ? says.cycles(count(limit)) : says.forever
    return `${reduction()} ${howLong}`

    function reduction(): string {
      const value = rules.discount_value ?? 0
      if (target_type === 'SHIPPING_LINE') return says.shipping
      if (rules.discount_type === 'percentage') return says.percentage(percent(value))
      return applies_on_each_item ? says.each(money(value, currency)) : says.fixed(money(value, currency))
    }
  }

  function toWhom({ eligibility: { min_member_days, min_days_since_offer, in_trial } }: Offer): string {
    const words = [
      min_member_days > 0 && texts.memberDays(count(min_member_days)),
      min_days_since_offer > 0 && texts.sinceOffer(count(min_days_since_offer)),
      !in_trial && texts.notInTrial
    ].filter(Boolean)
    return words.length === 0 ? texts.everybody : words.join(', ')
  }

  return { gives, toWhom }
}
