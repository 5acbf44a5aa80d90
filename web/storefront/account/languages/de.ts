import type { Texts } from '../../shared/texts.ts'
import type { TextKey } from '../texts.ts'

const GERMAN: Texts<TextKey> = {
  credit: 'Guthaben',
  points: 'Punkte',
  price: 'Preis',
  next: 'Nächste Zahlung',
  resumes: 'Pausiert bis',
  ended: 'Gekündigt am',
  until: 'Zurücknehmen bis',
  offer: 'Angebot',
  instead: '{new} statt {old}',
  active: 'Aktiv',
  paused: 'Pausiert',
  cancelled: 'Gekündigt',
  failed: 'Zahlung fehlgeschlagen',
  expired: 'Beendet',
  pause: 'Pausieren',
  days: 'Pausieren für',
  skip: 'Nächste Zahlung auslassen',
  resume: 'Fortsetzen',
  reactivate: 'Kündigung zurücknehmen',
  method: 'Zahlungsmethode',
  loading: 'Einen Moment …',
  away: 'Der Shop antwortet gerade nicht. Wir versuchen es von selbst wieder, solange diese Seite offen ist.',
  again: 'Jetzt erneut versuchen',
  unchanged: 'Das hat nicht geklappt.',
  question: 'Die Zahlung am {date} auslassen? Das lässt sich nicht rückgängig machen.',
  back: 'Zurück',
  skipped: '{name}: Die Zahlung am {date} wird ausgelassen.',
  held: '{name} ist bis {date} pausiert.',
  resumed: '{name} läuft weiter.',
  restored: '{name}: Die Kündigung ist zurückgenommen.',
  unseen: 'Wir konnten nicht sehen, ob es geklappt hat. Laden Sie diese Seite später noch einmal.',
  first_for: '{price} für {duration}, dann {later}',
  first: 'zuerst {price}, dann {later}',
  join: '{name} beitreten'
}

export default GERMAN
