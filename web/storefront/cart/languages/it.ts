import type { Words } from '../words.ts'

const ITALIAN: Words = {
  choose: 'Come vuole acquistare?',
  pay_as_you_go: 'Senza abbonamento',
  products: 'Prodotti',
  instead_of: 'invece di',
  saved: 'Risparmia {amount}',
  trial: 'prima {amount}, poi',
  trial_for: '{amount} per {duration}, poi',
  missing: 'Ancora {amount}: {perk}',
  reached: 'Raggiunto: {perk}',
  free_shipping: 'Spedizione gratuita',
  off: '{amount} di sconto',
  agree: 'Accetto di pagare {amount} fino alla disdetta.',
  agree_first: 'Accetti prima le condizioni dell’abbonamento.',
  join: 'Abbonarsi e andare alla cassa',
  added: 'Nel carrello: {plan}',
  removed: 'Non più nel carrello: {plan}',
  failed: 'Non è stato possibile modificare il carrello. Vada alla cassa così, o riprovi.',
  credit: 'Credito: {amount}',
  buy: 'Come acquistare: {product}',
  once: 'Una volta',
  member_price: 'Prezzo {plan}'
}

export default ITALIAN
