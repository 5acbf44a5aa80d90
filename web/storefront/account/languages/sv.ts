import type { Texts } from '../../shared/texts.ts'
import type { TextKey } from '../texts.ts'

const SWEDISH: Texts<TextKey> = {
  credit: 'Butikskredit',
  points: 'Poäng',
  price: 'Pris',
  next: 'Nästa betalning',
  resumes: 'Pausat till',
  ended: 'Avslutat den',
  until: 'Kan ångras till',
  offer: 'Erbjudande',
  instead: '{new} i stället för {old}',
  active: 'Aktivt',
  paused: 'Pausat',
  cancelled: 'Avslutat',
  failed: 'Betalningen misslyckades',
  expired: 'Upphört',
  pause: 'Pausa',
  days: 'Pausa i',
  skip: 'Hoppa över nästa betalning',
  resume: 'Återuppta',
  reactivate: 'Ångra avslutet',
  method: 'Betalningssätt',
  loading: 'Ett ögonblick …',
  away: 'Butiken svarar inte just nu. Vi försöker igen av oss själva så länge sidan är öppen.',
  again: 'Försök igen nu',
  unchanged: 'Det fungerade inte.',
  question: 'Hoppa över betalningen den {date}? Det går inte att ångra.',
  back: 'Tillbaka',
  skipped: '{name}: betalningen den {date} hoppas över.',
  held: '{name} är pausat till {date}.',
  resumed: '{name} fortsätter.',
  restored: '{name}: uppsägningen är återtagen.',
  unseen: 'Vi kunde inte se om det fungerade. Ladda om sidan senare.',
  first_for: '{price} i {duration}, sedan {later}',
  first: 'först {price}, sedan {later}',
  join: 'Bli medlem i {name}'
}

export default SWEDISH
