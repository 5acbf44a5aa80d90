import { useFormats } from '../../../shared/format/formats.ts'
import type { Perks, Plan } from '../queries.ts'
import { usePerksTexts } from './texts.ts'
import type { PerkName } from './values.ts'

type Reduction = { type: 'percentage' | 'fixed'; value: number }
type Scope = { applies_to: 'all' | 'product' | 'collection'; product_ids: string[]; collection_ids: string[] }

/** Perks in words: the sentence of each; null for those that members do not get. */
export function useDescribedPerks(): (plan: Pick<Plan, 'perks' | 'currency'>) => Record<PerkName, string | null> {
  const { sentence, creditTypes } = usePerksTexts()
  const { money, count, percent } = useFormats()

  return ({ perks, currency }) => {
    const reduction = ({ type, value }: Reduction) =>
      type === 'percentage' ? percent(value) : sentence.each(money(value, currency))
    const scope = ({ applies_to, product_ids, collection_ids }: Scope) => {
      if (applies_to === 'all') return sentence.all
      return applies_to === 'product'
        ? sentence.product(count(product_ids.length))
        : sentence.collection(count(collection_ids.length))
    }
    // It is taken off once.
    const welcome = (perk: Reduction & Scope) =>
      sentence.welcome(perk.type === 'fixed' ? money(perk.value, currency) : percent(perk.value), scope(perk))
    const off = (perk: Reduction & Scope) => sentence.discount(reduction(perk), scope(perk))

    function discount(perk: NonNullable<Perks['discount']>): string {
      return [
        off(perk),
        ...perk.steps.map((step) => sentence.step(reduction(step), count(step.quantity))),
        perk.price_base === 'original' && sentence.original,
        perk.stack_with_subscriptions && sentence.renewals
      ]
        .filter(Boolean)
        .join(', ')
    }

    function freeShipping({ countries, method_name, threshold }: NonNullable<Perks['free_shipping']>): string {
      const words = [
        countries.length === 0 ? sentence.everywhere : sentence.countries(countries.join(', ')),
        method_name && sentence.method(method_name),
        threshold &&
          (threshold.type === 'items'
            ? sentence.items(count(threshold.value))
            : sentence.subtotal(money(threshold.value, currency)))
      ]
      return capitalised(words.filter(Boolean).join(', '))
    }

    return {
      discount: perks.discount && discount(perks.discount),
      welcome_offer: perks.welcome_offer && welcome(perks.welcome_offer),
      free_shipping: perks.free_shipping && freeShipping(perks.free_shipping),
      store_credit:
        perks.store_credit &&
        sentence.credit(money(perks.store_credit.amount, currency), creditTypes[perks.store_credit.type])
    }
  }
}

const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
