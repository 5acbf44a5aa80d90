import type { Texts } from '../../shared/texts.ts'
import type { TextKey } from '../texts.ts'

const SWEDISH: Texts<TextKey> = {
  button: 'Avsluta medlemskapet',
  choose: 'Vilket medlemskap?',
  reasons: 'Varför vill du lämna oss?',
  comment: 'Vill du tillägga något? (valfritt)',
  next: 'Fortsätt',
  offers: 'Innan du går',
  accept: 'Stanna med det här erbjudandet',
  confirm: 'Avsluta ditt medlemskap?',
  ending: 'Det upphör genast och inget mer debiteras.',
  cancel: 'Avsluta ändå',
  keep: 'Behåll medlemskapet',
  back: 'Tillbaka',
  close: 'Stäng',
  loading: 'Ett ögonblick …',
  waiting: 'Ännu inte avslutat',
  retrying:
    'Butiken svarar inte just nu. Ditt val är sparat och vi försöker igen av oss själva så länge sidan är öppen.',
  again: 'Försök igen nu',
  refused: 'Ditt medlemskap är inte avslutat',
  failed: 'Erbjudandet har inte tillämpats och inget har ändrats.',
  unknown: 'Vi kunde inte se om det genomfördes. Ladda om sidan senare.',
  done: 'Ditt medlemskap är avslutat',
  kept: 'Tack för att du stannar',
  applied: 'Erbjudandet gäller: {offer}',
  instead: '{new} i stället för {old}',
  for: 'I {duration}',
  payment: 'Nästa betalning: {date}',
  credit: '{amount} i butikskredit',
  none: 'Du har inget medlemskap att avsluta.'
}

export default SWEDISH
