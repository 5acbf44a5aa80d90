import type { Words } from '../words.ts'

const FRENCH: Words = {
  choose: 'Comment souhaitez-vous acheter ?',
  pay_as_you_go: 'Sans abonnement',
  products: 'Articles',
  instead_of: 'au lieu de',
  saved: 'Vous économisez {amount}',
  trial: 'd’abord {amount}, puis',
  trial_for: '{amount} pendant {duration}, puis',
  missing: 'Encore {amount} : {perk}',
  reached: 'Atteint : {perk}',
  free_shipping: 'Livraison gratuite',
  off: '{amount} de remise',
  agree: 'J’accepte de payer {amount} jusqu’à ce que je résilie.',
  agree_first: 'Acceptez d’abord les conditions de l’abonnement.',
  join: 'S’abonner et passer commande',
  added: 'Dans votre panier : {plan}',
  removed: 'Retiré de votre panier : {plan}',
  failed: 'Le panier n’a pas pu être modifié. Passez commande ainsi, ou réessayez.',
  credit: 'Avoir : {amount}',
  buy: 'Mode d’achat : {product}',
  once: 'Une fois',
  member_price: 'Prix {plan}'
}

export default FRENCH
