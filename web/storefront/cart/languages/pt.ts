import type { Words } from '../words.ts'

const PORTUGUESE: Words = {
  choose: 'Como quer comprar?',
  pay_as_you_go: 'Sem subscrição',
  products: 'Produtos',
  instead_of: 'em vez de',
  saved: 'Poupa {amount}',
  trial: 'primeiro {amount}, depois',
  trial_for: '{amount} durante {duration}, depois',
  missing: 'Faltam {amount}: {perk}',
  reached: 'Alcançado: {perk}',
  free_shipping: 'Envio grátis',
  off: '{amount} de desconto',
  agree: 'Aceito pagar {amount} até cancelar.',
  agree_first: 'Aceite primeiro as condições da subscrição.',
  join: 'Aderir e finalizar a compra',
  added: 'No seu carrinho: {plan}',
  removed: 'Já não está no seu carrinho: {plan}',
  failed: 'Não foi possível alterar o carrinho. Finalize assim ou tente de novo.',
  credit: 'Crédito: {amount}',
  buy: 'Como comprar: {product}',
  once: 'Uma vez',
  member_price: 'Preço {plan}'
}

export default PORTUGUESE
