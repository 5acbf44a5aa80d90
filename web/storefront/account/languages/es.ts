import type { Texts } from '../../shared/texts.ts'
import type { TextKey } from '../texts.ts'

const SPANISH: Texts<TextKey> = {
  credit: 'Crédito en la tienda',
  points: 'Puntos',
  price: 'Precio',
  next: 'Próximo pago',
  resumes: 'En pausa hasta',
  ended: 'Cancelada el',
  offer: 'Oferta',
  instead: '{new} en lugar de {old}',
  active: 'Activa',
  paused: 'En pausa',
  cancelled: 'Cancelada',
  failed: 'Pago fallido',
  expired: 'Finalizada',
  pause: 'Pausar',
  days: 'Duración de la pausa',
  skip: 'Omitir el próximo pago',
  resume: 'Reanudar',
  reactivate: 'Anular la cancelación',
  method: 'Método de pago',
  loading: 'Un momento…',
  away: 'La tienda no responde en este momento. Lo intentamos de nuevo automáticamente mientras esta página esté abierta.',
  again: 'Intentarlo ahora',
  unchanged: 'No ha funcionado.',
  join: 'Unirse a {name}'
}

export default SPANISH
