import type { Texts } from '../../shared/texts.ts'
import type { TextKey } from '../texts.ts'

const PORTUGUESE: Texts<TextKey> = {
  credit: 'Crédito na loja',
  points: 'Pontos',
  price: 'Preço',
  next: 'Próximo pagamento',
  resumes: 'Em pausa até',
  ended: 'Cancelada em',
  offer: 'Oferta',
  instead: '{new} em vez de {old}',
  active: 'Ativa',
  paused: 'Em pausa',
  cancelled: 'Cancelada',
  failed: 'Pagamento falhou',
  expired: 'Terminada',
  pause: 'Pausar',
  days: 'Duração da pausa',
  skip: 'Pular o próximo pagamento',
  resume: 'Retomar',
  reactivate: 'Desfazer o cancelamento',
  method: 'Forma de pagamento',
  loading: 'Um momento…',
  away: 'A loja não responde no momento. Tentamos de novo automaticamente enquanto esta página estiver aberta.',
  again: 'Tentar de novo agora',
  unchanged: 'Não funcionou.',
  join: 'Aderir ao {name}'
}

export default PORTUGUESE
