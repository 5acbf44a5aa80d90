import type { Words } from '../words.ts'

const SWEDISH: Words = {
  choose: 'Hur vill du köpa?',
  pay_as_you_go: 'Utan medlemskap',
  products: 'Produkter',
  instead_of: 'i stället för',
  saved: 'Du sparar {amount}',
  trial: 'först {amount}, sedan',
  trial_for: '{amount} i {duration}, sedan',
  missing: '{amount} till: {perk}',
  reached: 'Uppnått: {perk}',
  free_shipping: 'Fri frakt',
  off: '{amount} rabatt',
  agree: 'Jag godkänner att betala {amount} tills jag säger upp.',
  agree_first: 'Godkänn först villkoren för medlemskapet.',
  join: 'Bli medlem och gå till kassan',
  added: 'I din varukorg: {plan}',
  removed: 'Inte längre i din varukorg: {plan}',
  failed: 'Varukorgen kunde inte ändras. Gå till kassan som den är, eller försök igen.',
  credit: 'Tillgodohavande: {amount}',
  buy: 'Hur köpa: {product}',
  once: 'En gång',
  member_price: '{plan}-pris'
}

export default SWEDISH
