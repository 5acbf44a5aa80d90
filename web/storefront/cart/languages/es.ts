import type { Words } from '../words.ts'

const SPANISH: Words = {
  choose: '¿Cómo quiere comprar?',
  pay_as_you_go: 'Sin membresía',
  products: 'Productos',
  instead_of: 'en lugar de',
  saved: 'Ahorra {amount}',
  trial: 'primero {amount}, luego',
  trial_for: '{amount} durante {duration}, después',
  missing: 'Faltan {amount}: {perk}',
  reached: 'Conseguido: {perk}',
  free_shipping: 'Envío gratis',
  off: '{amount} de descuento',
  agree: 'Acepto pagar {amount} hasta que cancele.',
  agree_first: 'Acepte primero las condiciones de la membresía.',
  join: 'Hacerse miembro y pagar',
  added: 'En su carrito: {plan}',
  removed: 'Ya no está en su carrito: {plan}',
  failed: 'No se pudo cambiar el carrito. Pague así o inténtelo de nuevo.',
  credit: 'Crédito: {amount}',
  buy: 'Forma de compra: {product}',
  once: 'Una vez',
  member_price: 'Precio {plan}'
}

export default SPANISH
