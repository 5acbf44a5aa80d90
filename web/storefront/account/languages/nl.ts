import type { Texts } from '../../shared/texts.ts'
import type { TextKey } from '../texts.ts'

const DUTCH: Texts<TextKey> = {
  credit: 'Winkeltegoed',
  points: 'Punten',
  price: 'Prijs',
  next: 'Volgende betaling',
  resumes: 'Gepauzeerd tot',
  ended: 'Opgezegd op',
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
  join: 'Word lid van {name}'
}

export default DUTCH
