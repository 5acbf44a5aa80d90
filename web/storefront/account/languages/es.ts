import type { Texts } from '../../shared/texts.ts'
import type { TextKey } from '../texts.ts'

const SPANISH: Texts<TextKey> = {
  credit: 'Crédito en la tienda',
  points: 'Puntos',
  price: 'Precio',
  next: 'Próximo pago',
  resumes: 'En pausa hasta',
  ended: 'Cancelada el',
  until: 'Se puede deshacer hasta',
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
  question: '¿Omitir el pago del {date}? No se puede deshacer.',
  back: 'Volver',
  skipped: '{name}: se omite el pago del {date}.',
  held: '{name} está en pausa hasta el {date}.',
  resumed: '{name} continúa.',
  restored: '{name}: la cancelación se ha retirado.',
  unseen: 'No hemos podido ver si ha funcionado. Vuelva a cargar esta página más tarde.',
  first_for: '{price} durante {duration}, después {later}',
  first: 'primero {price}, después {later}',
  join: 'Unirse a {name}'
}

export default SPANISH
