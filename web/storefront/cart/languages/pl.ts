import type { Words } from '../words.ts'

const POLISH: Words = {
  choose: 'Jak chcesz kupić?',
  pay_as_you_go: 'Bez członkostwa',
  products: 'Produkty',
  instead_of: 'zamiast',
  saved: 'Oszczędzasz {amount}',
  trial: 'najpierw {amount}, potem',
  trial_for: '{amount} przez {duration}, potem',
  missing: 'Jeszcze {amount}: {perk}',
  reached: 'Osiągnięto: {perk}',
  free_shipping: 'Darmowa dostawa',
  off: '{amount} taniej',
  agree: 'Zgadzam się płacić {amount} do czasu rezygnacji.',
  agree_first: 'Najpierw zaakceptuj warunki członkostwa.',
  join: 'Dołącz i przejdź do kasy',
  added: 'W koszyku: {plan}',
  removed: 'Usunięto z koszyka: {plan}',
  failed: 'Nie udało się zmienić koszyka. Przejdź do kasy lub spróbuj ponownie.',
  credit: 'Środki w sklepie: {amount}',
  buy: 'Sposób zakupu: {product}',
  once: 'Jednorazowo',
  member_price: 'Cena {plan}'
}

export default POLISH
