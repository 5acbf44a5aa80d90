import type { Texts } from '../../shared/texts.ts'
import type { TextKey } from '../texts.ts'

const ITALIAN: Texts<TextKey> = {
  button: 'Annulla l’abbonamento',
  choose: 'Quale abbonamento?',
  reasons: 'Perché desidera andarsene?',
  comment: 'Desidera aggiungere qualcosa? (facoltativo)',
  next: 'Continua',
  offers: 'Prima di andare',
  accept: 'Rimani con questa offerta',
  confirm: 'Annullare l’abbonamento?',
  ending: 'Termina subito e non verrà addebitato più nulla.',
  cancel: 'Annulla comunque',
  keep: 'Mantieni l’abbonamento',
  back: 'Indietro',
  close: 'Chiudi',
  loading: 'Un momento…',
  waiting: 'Non ancora annullato',
  retrying:
    'Il negozio al momento non risponde. La sua scelta è conservata e riproviamo automaticamente finché questa pagina resta aperta.',
  again: 'Riprova ora',
  refused: 'Il suo abbonamento non è annullato',
  failed: 'L’offerta non è stata applicata e nulla è cambiato.',
  unknown: 'Non abbiamo potuto vedere se è stato fatto. Ricarichi questa pagina più tardi.',
  done: 'Il suo abbonamento è annullato',
  kept: 'Grazie per essere rimasto con noi',
  applied: 'L’offerta è attiva: {offer}',
  instead: '{new} invece di {old}',
  for: 'Per {duration}',
  payment: 'Prossimo pagamento: {date}',
  credit: '{amount} di credito nel negozio',
  none: 'Non ha abbonamenti da annullare.'
}

export default ITALIAN
