import type { Texts } from '../../shared/texts.ts'
import type { TextKey } from '../texts.ts'

const ITALIAN: Texts<TextKey> = {
  credit: 'Credito nel negozio',
  points: 'Punti',
  price: 'Prezzo',
  next: 'Prossimo pagamento',
  resumes: 'In pausa fino al',
  ended: 'Annullato il',
  offer: 'Offerta',
  instead: '{new} invece di {old}',
  active: 'Attivo',
  paused: 'In pausa',
  cancelled: 'Annullato',
  failed: 'Pagamento non riuscito',
  expired: 'Terminato',
  pause: 'Metti in pausa',
  days: 'Durata della pausa',
  skip: 'Salta il prossimo pagamento',
  resume: 'Riprendi',
  reactivate: 'Revoca l’annullamento',
  method: 'Metodo di pagamento',
  loading: 'Un momento…',
  away: 'Il negozio al momento non risponde. Riproviamo automaticamente finché questa pagina resta aperta.',
  again: 'Riprova ora',
  unchanged: 'Non ha funzionato.',
  join: 'Iscriviti a {name}'
}

export default ITALIAN
