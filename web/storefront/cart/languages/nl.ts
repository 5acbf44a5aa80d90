import type { Words } from '../words.ts'

const DUTCH: Words = {
  choose: 'Hoe wilt u kopen?',
  pay_as_you_go: 'Zonder lidmaatschap',
  products: 'Producten',
  instead_of: 'in plaats van',
  saved: 'U bespaart {amount}',
  trial: 'eerst {amount}, daarna',
  trial_for: '{amount} gedurende {duration}, daarna',
  missing: 'Nog {amount}: {perk}',
  reached: 'Bereikt: {perk}',
  free_shipping: 'Gratis verzending',
  off: '{amount} korting',
  agree: 'Ik ga akkoord met {amount} tot ik opzeg.',
  agree_first: 'Ga eerst akkoord met de voorwaarden van het lidmaatschap.',
  join: 'Lid worden en afrekenen',
  added: 'In uw winkelwagen: {plan}',
  removed: 'Niet meer in uw winkelwagen: {plan}',
  failed: 'De winkelwagen kon niet worden gewijzigd. Reken zo af of probeer het opnieuw.',
  credit: 'Tegoed: {amount}',
  buy: 'Hoe kopen: {product}',
  once: 'Eenmalig',
  member_price: '{plan}-prijs'
}

export default DUTCH
