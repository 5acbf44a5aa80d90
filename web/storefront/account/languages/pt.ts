import type { Texts } from '../../shared/texts.ts'
import type { TextKey } from '../texts.ts'

const PORTUGUESE: Texts<TextKey> = {
  credit: 'Crédito na loja',
  points: 'Pontos',
  price: 'Preço',
  next: 'Próximo pagamento',
  resumes: 'Em pausa até',
  ended: 'Cancelada em',
  until: 'Pode ser desfeito até',
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
  question: 'Pular o pagamento de {date}? Isso não pode ser desfeito.',
  back: 'Voltar',
  skipped: '{name}: o pagamento de {date} será pulado.',
  held: '{name} está em pausa até {date}.',
  resumed: '{name} continua.',
  restored: '{name}: o cancelamento foi desfeito.',
  unseen: 'Não foi possível ver se funcionou. Recarregue esta página mais tarde.',
  first_for: '{price} durante {duration}, depois {later}',
  first: 'primeiro {price}, depois {later}',
  join: 'Aderir ao {name}'
}

export default PORTUGUESE
