import type { Words } from '../words.ts'

const GERMAN: Words = {
  choose: 'Wie möchten Sie kaufen?',
  pay_as_you_go: 'Ohne Mitgliedschaft',
  products: 'Artikel',
  instead_of: 'statt',
  saved: 'Sie sparen {amount}',
  trial: 'zuerst {amount}, dann',
  trial_for: '{amount} für {duration}, dann',
  missing: 'Noch {amount}: {perk}',
  reached: 'Erreicht: {perk}',
  free_shipping: 'Kostenloser Versand',
  off: '{amount} Rabatt',
  agree: 'Ich stimme zu, {amount} zu zahlen, bis ich kündige.',
  agree_first: 'Bitte stimmen Sie zuerst den Bedingungen der Mitgliedschaft zu.',
  join: 'Mitglied werden und zur Kasse',
  added: 'In Ihrem Warenkorb: {plan}',
  removed: 'Nicht mehr in Ihrem Warenkorb: {plan}',
  failed: 'Der Warenkorb konnte nicht geändert werden. Gehen Sie so zur Kasse, oder versuchen Sie es noch einmal.',
  credit: 'Guthaben: {amount}',
  buy: 'Wie kaufen: {product}',
  once: 'Einmal',
  member_price: 'Preis mit {plan}'
}

export default GERMAN
