import type { Texts } from '../../shared/texts.ts'
import type { TextKey } from '../texts.ts'

const GERMAN: Texts<TextKey> = {
  button: 'Mitgliedschaft kündigen',
  choose: 'Welche Mitgliedschaft?',
  reasons: 'Warum möchten Sie gehen?',
  comment: 'Möchten Sie etwas hinzufügen? (freiwillig)',
  next: 'Weiter',
  offers: 'Bevor Sie gehen',
  accept: 'Mit diesem Angebot bleiben',
  confirm: 'Mitgliedschaft kündigen?',
  ending: 'Sie endet sofort, und es wird nichts mehr abgebucht.',
  cancel: 'Trotzdem kündigen',
  keep: 'Mitglied bleiben',
  back: 'Zurück',
  close: 'Schließen',
  loading: 'Einen Moment …',
  waiting: 'Noch nicht gekündigt',
  retrying:
    'Der Shop antwortet gerade nicht. Ihre Auswahl bleibt erhalten, und wir versuchen es von selbst wieder, solange diese Seite offen ist.',
  again: 'Jetzt erneut versuchen',
  refused: 'Ihre Mitgliedschaft ist nicht gekündigt',
  failed: 'Das Angebot wurde nicht angewendet, und nichts hat sich geändert.',
  unknown: 'Wir konnten nicht sehen, ob das ausgeführt wurde. Laden Sie diese Seite später noch einmal.',
  done: 'Ihre Mitgliedschaft ist gekündigt',
  kept: 'Schön, dass Sie bleiben',
  applied: 'Das Angebot gilt: {offer}',
  instead: '{new} statt {old}',
  for: 'Für {duration}',
  payment: 'Nächste Zahlung: {date}',
  credit: '{amount} Guthaben',
  none: 'Sie haben keine Mitgliedschaft, die Sie kündigen können.'
}

export default GERMAN
