import type { Texts } from '../../shared/texts.ts'
import type { TextKey } from '../texts.ts'

const POLISH: Texts<TextKey> = {
  button: 'Anuluj członkostwo',
  choose: 'Które członkostwo?',
  reasons: 'Dlaczego chcesz odejść?',
  comment: 'Czy chcesz coś dodać? (opcjonalnie)',
  next: 'Dalej',
  offers: 'Zanim odejdziesz',
  accept: 'Zostań z tą ofertą',
  confirm: 'Anulować członkostwo?',
  ending: 'Kończy się natychmiast i nic więcej nie zostanie pobrane.',
  cancel: 'Anuluj mimo to',
  keep: 'Zachowaj członkostwo',
  back: 'Wstecz',
  close: 'Zamknij',
  loading: 'Chwileczkę…',
  waiting: 'Jeszcze nie anulowano',
  retrying:
    'Sklep w tej chwili nie odpowiada. Twój wybór jest zachowany i będziemy ponawiać próbę, dopóki ta strona jest otwarta.',
  again: 'Spróbuj teraz',
  refused: 'Twoje członkostwo nie zostało anulowane',
  failed: 'Oferta nie została zastosowana i nic się nie zmieniło.',
  unknown: 'Nie udało się sprawdzić, czy to wykonano. Wczytaj tę stronę ponownie później.',
  done: 'Twoje członkostwo jest anulowane',
  kept: 'Dziękujemy, że zostajesz',
  applied: 'Oferta obowiązuje: {offer}',
  instead: '{new} zamiast {old}',
  for: 'Przez {duration}',
  payment: 'Następna płatność: {date}',
  credit: '{amount} środków w sklepie',
  none: 'Nie masz członkostwa do anulowania.'
}

export default POLISH
