import type { Texts } from '../../shared/texts.ts'
import type { TextKey } from '../texts.ts'

const ITALIAN: Texts<TextKey> = {
  credit: 'Credito nel negozio',
  points: 'Punti',
  price: 'Prezzo',
  next: 'Prossimo pagamento',
  resumes: 'In pausa fino al',
  ended: 'Annullato il',
  until: 'Revocabile fino al',
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
  question: 'Saltare il pagamento del {date}? Non si può annullare.',
  back: 'Indietro',
  skipped: '{name}: il pagamento del {date} viene saltato.',
  held: '{name} è in pausa fino al {date}.',
  resumed: '{name} continua.',
  restored: '{name}: la disdetta è stata ritirata.',
  unseen: 'Non abbiamo potuto vedere se ha funzionato. Ricarichi questa pagina più tardi.',
  first_for: '{price} per {duration}, poi {later}',
  first: 'prima {price}, poi {later}',
  join: 'Iscriviti a {name}'
}

export default ITALIAN
