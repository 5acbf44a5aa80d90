import type { Texts } from '../../shared/texts.ts'
import type { TextKey } from '../texts.ts'

const POLISH: Texts<TextKey> = {
  credit: 'Środki w sklepie',
  points: 'Punkty',
  price: 'Cena',
  next: 'Następna płatność',
  resumes: 'Wstrzymane do',
  ended: 'Anulowano',
  until: 'Można cofnąć do',
  offer: 'Oferta',
  instead: '{new} zamiast {old}',
  active: 'Aktywne',
  paused: 'Wstrzymane',
  cancelled: 'Anulowane',
  failed: 'Płatność nieudana',
  expired: 'Zakończone',
  pause: 'Wstrzymaj',
  days: 'Wstrzymaj na',
  skip: 'Pomiń następną płatność',
  resume: 'Wznów',
  reactivate: 'Cofnij anulowanie',
  method: 'Metoda płatności',
  loading: 'Chwileczkę…',
  away: 'Sklep w tej chwili nie odpowiada. Będziemy ponawiać próbę, dopóki ta strona jest otwarta.',
  again: 'Spróbuj teraz',
  unchanged: 'Nie udało się.',
  question: 'Pominąć płatność {date}? Tego nie można cofnąć.',
  back: 'Wstecz',
  skipped: '{name}: płatność {date} zostanie pominięta.',
  held: '{name}: wstrzymano do {date}.',
  resumed: '{name} trwa dalej.',
  restored: '{name}: rezygnacja została cofnięta.',
  unseen: 'Nie udało się sprawdzić, czy się powiodło. Wczytaj tę stronę ponownie później.',
  first_for: '{price} przez {duration}, potem {later}',
  first: 'najpierw {price}, potem {later}',
  join: 'Dołącz do {name}'
}

export default POLISH
