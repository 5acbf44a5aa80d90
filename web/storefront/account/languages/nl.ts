import type { Texts } from '../../shared/texts.ts'
import type { TextKey } from '../texts.ts'

const DUTCH: Texts<TextKey> = {
  credit: 'Winkeltegoed',
  points: 'Punten',
  price: 'Prijs',
  next: 'Volgende betaling',
  resumes: 'Gepauzeerd tot',
  ended: 'Opgezegd op',
  until: 'Terug te draaien tot',
  offer: 'Aanbod',
  instead: '{new} in plaats van {old}',
  active: 'Actief',
  paused: 'Gepauzeerd',
  cancelled: 'Opgezegd',
  failed: 'Betaling mislukt',
  expired: 'Beëindigd',
  pause: 'Pauzeren',
  days: 'Pauzeren voor',
  skip: 'Volgende betaling overslaan',
  resume: 'Hervatten',
  reactivate: 'Opzegging intrekken',
  method: 'Betaalmethode',
  loading: 'Een ogenblik…',
  away: 'De winkel reageert op dit moment niet. We proberen het vanzelf opnieuw zolang deze pagina open is.',
  again: 'Nu opnieuw proberen',
  unchanged: 'Dat is niet gelukt.',
  question: 'De betaling van {date} overslaan? Dit kan niet ongedaan worden gemaakt.',
  back: 'Terug',
  skipped: '{name}: de betaling van {date} wordt overgeslagen.',
  held: '{name} is gepauzeerd tot {date}.',
  resumed: '{name} loopt door.',
  restored: '{name}: de opzegging is ingetrokken.',
  unseen: 'We konden niet zien of het is gelukt. Laad deze pagina later opnieuw.',
  first_for: '{price} gedurende {duration}, daarna {later}',
  first: 'eerst {price}, daarna {later}',
  join: 'Word lid van {name}'
}

export default DUTCH
