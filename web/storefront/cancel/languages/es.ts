import type { Texts } from '../../shared/texts.ts'
import type { TextKey } from '../texts.ts'

const SPANISH: Texts<TextKey> = {
  button: 'Cancelar la suscripción',
  choose: '¿Qué suscripción?',
  reasons: '¿Por qué quiere irse?',
  comment: '¿Quiere añadir algo? (opcional)',
  next: 'Continuar',
  offers: 'Antes de irse',
  accept: 'Quedarse con esta oferta',
  confirm: '¿Cancelar su suscripción?',
  ending: 'Termina de inmediato y no se le cobrará nada más.',
  cancel: 'Cancelar de todos modos',
  keep: 'Mantener la suscripción',
  back: 'Atrás',
  close: 'Cerrar',
  loading: 'Un momento…',
  waiting: 'Todavía no está cancelada',
  retrying:
    'La tienda no responde en este momento. Su elección se conserva y lo intentamos de nuevo automáticamente mientras esta página esté abierta.',
  again: 'Intentarlo ahora',
  refused: 'Su suscripción no está cancelada',
  failed: 'La oferta no se ha aplicado y no ha cambiado nada.',
  unknown: 'No hemos podido ver si se ha llevado a cabo. Vuelva a cargar esta página más tarde.',
  done: 'Su suscripción está cancelada',
  kept: 'Gracias por quedarse',
  applied: 'La oferta está aplicada: {offer}',
  instead: '{new} en lugar de {old}',
  for: 'Durante {duration}',
  payment: 'Próximo pago: {date}',
  credit: '{amount} de crédito en la tienda',
  none: 'No tiene ninguna suscripción que cancelar.'
}

export default SPANISH
