import type { components } from '../../../shared/api/schema.ts'
import { useFormats } from '../../../shared/format/formats.ts'
import { areaTexts } from '../../../shared/texts/area-texts.ts'

type Reason = components['schemas']['CartPrice']['lines'][number]['reasons'][number]
type Numbers = Reason['details']

/** Writes the numbers of a reason as people read them. */
type Written = {
  off: string
  base: string
  memberPrice: string
  needed: string
  counted: string
  percent: string
  given: string
  countries: string
  numbers: Numbers
}
type Sentences = Record<string, string | ((written: Written) => string)>

const useTexts = areaTexts<{
  off: (amount: string) => string
  price: (amount: string) => string
  compareAt: (amount: string) => string
  sentences: Sentences
}>({
  en: {
    off: (amount) => `${amount} off`,
    price: (amount) => `the price ${amount}`,
    compareAt: (amount) => `the compare-at price ${amount}`,
    sentences: {
      not_a_member: 'no active membership, and none in the cart',
      no_plan: 'the store has no enabled plan of this type',
      membership: 'the line of the membership is never discounted or counted',
      no_discount: 'the plan has no discount on products',
      tagged_no_discount: 'the product is tagged NO-VIP-DISCOUNT',
      tagged_free: 'the product is tagged 100%-VIP-DISCOUNT',
      not_stacked: 'the discount of the plan does not apply to recurring charges',
      not_in_scope: 'the product is not among those that the discount of the plan applies to',
      no_price: 'the price is 0',
      member_price: ({ off, base }) => `${off} ${base}`,
      step_price: ({ off, base, numbers }) =>
        `${off} ${base}: the step from ${numbers.quantity}, with ${numbers.eligible_pieces} eligible in the cart`,
      sale_price_lower: ({ off, memberPrice }) =>
        `the sale price is no higher than the compare-at price with ${off}, ${memberPrice}`,
      rounds_to_nothing: ({ off }) => `${off} is less than the smallest amount of the currency`,
      whole_percent: ({ percent, given }) =>
        `recurring charges have whole percents only: ${percent} in place of ${given}`,
      no_fixed_amount: ({ off }) => `recurring charges have whole percents only, not ${off}`,
      welcome_offer: ({ off }) => `welcome offer: ${off} one piece of the lowest-priced product`,
      no_welcome_offer: 'the plan has no welcome offer',
      no_membership_in_cart: 'the cart holds no membership',
      held_membership: 'only for somebody who never held a membership',
      no_product_for_welcome_offer: 'no product in the cart that the welcome offer applies to and that costs anything',
      recurring_charge: 'only at a checkout, not on recurring charges',
      no_free_shipping: 'the plan has no free shipping',
      country_unknown: ({ countries }) => `only to ${countries}, and the country is not known`,
      other_country: ({ countries, numbers }) => `only to ${countries}, not to ${numbers.country}`,
      too_few_items: ({ numbers }) => `needs ${numbers.items} items; ${numbers.counted} in the cart count`,
      subtotal_too_low: ({ needed, counted }) => `needs ${needed} after discounts; what counts comes to ${counted}`,
      other_method: ({ numbers }) => `free with the method ${numbers.method_name}, not with ${numbers.method}`,
      free_shipping: 'free shipping'
    }
  },
  de: {
    off: (amount) => `${amount} Rabatt`,
    price: (amount) => `auf den Preis von ${amount}`,
    compareAt: (amount) => `auf den Vergleichspreis von ${amount}`,
    sentences: {
      not_a_member: 'keine aktive Mitgliedschaft und keine im Warenkorb',
      no_plan: 'der Shop hat keinen aktiven Plan dieser Art',
      membership: 'auf die Mitgliedschaft selbst gibt es keinen Rabatt, und sie zählt nicht mit',
      no_discount: 'der Plan hat keinen Rabatt auf Produkte',
      tagged_no_discount: 'das Produkt hat den Tag NO-VIP-DISCOUNT',
      tagged_free: 'das Produkt hat den Tag 100%-VIP-DISCOUNT',
      not_stacked: 'der Rabatt des Plans gilt nicht für wiederkehrende Abbuchungen',
      not_in_scope: 'das Produkt ist keines von denen, für die der Rabatt des Plans gilt',
      no_price: 'der Preis ist 0',
      member_price: ({ off, base }) => `${off} ${base}`,
      step_price: ({ off, base, numbers }) =>
        `${off} ${base}: die Stufe ab ${numbers.quantity}; ${numbers.eligible_pieces} im Warenkorb zählen`,
      sale_price_lower: ({ off, memberPrice }) =>
        `der Angebotspreis ist nicht höher als der Vergleichspreis mit ${off}, ${memberPrice}`,
      rounds_to_nothing: ({ off }) => `${off} ist weniger als der kleinste Betrag der Währung`,
      whole_percent: ({ percent, given }) =>
        `wiederkehrende Abbuchungen haben nur ganze Prozente: ${percent} statt ${given}`,
      no_fixed_amount: ({ off }) => `wiederkehrende Abbuchungen haben nur ganze Prozente, nicht ${off}`,
      welcome_offer: ({ off }) => `Willkommensangebot: ${off} auf ein Stück des günstigsten Produkts`,
      no_welcome_offer: 'der Plan hat kein Willkommensangebot',
      no_membership_in_cart: 'im Warenkorb ist keine Mitgliedschaft',
      held_membership: 'nur für Personen, die nie eine Mitgliedschaft hatten',
      no_product_for_welcome_offer:
        'kein Produkt im Warenkorb, für das das Willkommensangebot gilt und das etwas kostet',
      recurring_charge: 'nur an der Kasse, nicht bei wiederkehrenden Abbuchungen',
      no_free_shipping: 'der Plan hat keinen kostenlosen Versand',
      country_unknown: ({ countries }) => `nur nach ${countries}, und das Land ist unbekannt`,
      other_country: ({ countries, numbers }) => `nur nach ${countries}, nicht nach ${numbers.country}`,
      too_few_items: ({ numbers }) => `erst ab ${numbers.items} Artikeln; ${numbers.counted} im Warenkorb zählen`,
      subtotal_too_low: ({ needed, counted }) => `erst ab ${needed} nach Rabatten; ${counted} zählen`,
      other_method: ({ numbers }) => `kostenlos mit der Versandart ${numbers.method_name}, nicht mit ${numbers.method}`,
      free_shipping: 'kostenloser Versand'
    }
  }
})

/** Says a reason of a cart's price in the language of the person; one that this page does not know in the words of the service. */
export function useReasonWords(currency: string | undefined): (reason: Reason) => string {
  const formats = useFormats()
  const texts = useTexts()
  return ({ code, message, details }) => {
    const sentence = texts.sentences[code]
    if (sentence === undefined || currency === undefined) return message
    return typeof sentence === 'string' ? sentence : sentence(written(details, currency))
  }

  function written(numbers: Numbers, currency: string): Written {
    const money = (amount = 0) => formats.money(amount, currency)
    const { percent, amount } = numbers.reduction ?? {}
    return {
      off: texts.off(percent === undefined ? money(amount) : formats.percent(percent)),
      base: (numbers.base === 'compare_at' ? texts.compareAt : texts.price)(money(numbers.base_price)),
      memberPrice: money(numbers.member_price),
      needed: money(numbers.amount),
      counted: money(numbers.counted_amount),
      percent: formats.percent(numbers.percent ?? 0),
      given: formats.percent(numbers.given ?? 0),
      countries: (numbers.countries ?? []).join(', '),
      numbers
    }
  }
}
