import type { operations } from '../api/schema.ts'
import { areaTexts } from './area-texts.ts'

/** The types of events that the service has. */
export type EventType = NonNullable<NonNullable<operations['listEvents']['parameters']['query']>['type']>

type EventTypeTexts = {
  /** By the part of a type before its dot. */
  kinds: Record<string, string>
  /** When each type occurs. */
  when: Record<EventType, string>
}

/** What the types of events mean, for whoever chooses some. */
export const useEventTypeTexts = areaTexts<EventTypeTexts>({
  en: {
    kinds: { subscription: 'Subscriptions', billing: 'Charges', member: 'Members', store_credit: 'Store credit' },
    when: {
      'subscription.created': 'A subscription is there for the first time: bought, imported or given.',
      'subscription.activated': 'Its first payment was made, or its trial began.',
      'subscription.updated': 'Plan, price, interval, next date or receiver has changed.',
      'subscription.paused': 'It is paused: nothing is charged until it is resumed.',
      'subscription.resumed': 'It goes on after a pause.',
      'subscription.cancelled': 'It has ended: cancelled, expired, or after failed charges.',
      'billing.pending': 'A charge is about to be made.',
      'billing.success': 'A charge was paid.',
      'billing.failed': 'A charge was declined.',
      'billing.retry_scheduled': 'A declined charge will be tried again at a known time.',
      'billing.action_required': 'The customer has to confirm a charge with their bank.',
      'member.created': 'Somebody has become a member.',
      'member.updated': 'Name, address, status or plan of a member has changed.',
      'member.tier_changed': 'A member has reached or left a tier.',
      'member.points_changed': 'The loyalty points of a customer have changed.',
      'store_credit.added': 'A customer was given store credit.',
      'store_credit.deducted': 'Store credit was spent, or taken back.'
    }
  },
  de: {
    kinds: { subscription: 'Abonnements', billing: 'Abbuchungen', member: 'Mitglieder', store_credit: 'Guthaben' },
    when: {
      'subscription.created': 'Ein Abonnement ist zum ersten Mal da: gekauft, importiert oder verschenkt.',
      'subscription.activated': 'Seine erste Zahlung ist eingegangen, oder seine Probezeit hat begonnen.',
      'subscription.updated': 'Plan, Preis, Abstand, nächstes Datum oder Empfänger hat sich geändert.',
      'subscription.paused': 'Es pausiert: Bis es fortgesetzt wird, wird nichts abgebucht.',
      'subscription.resumed': 'Es geht nach einer Pause weiter.',
      'subscription.cancelled': 'Es ist zu Ende: gekündigt, abgelaufen oder nach gescheiterten Abbuchungen.',
      'billing.pending': 'Eine Abbuchung steht unmittelbar bevor.',
      'billing.success': 'Eine Abbuchung ist bezahlt.',
      'billing.failed': 'Eine Abbuchung ist abgelehnt worden.',
      'billing.retry_scheduled': 'Eine abgelehnte Abbuchung wird zu bekannter Zeit noch einmal versucht.',
      'billing.action_required': 'Der Kunde muss eine Abbuchung bei seiner Bank bestätigen.',
      'member.created': 'Jemand ist Mitglied geworden.',
      'member.updated': 'Name, Adresse, Status oder Plan eines Mitglieds hat sich geändert.',
      'member.tier_changed': 'Ein Mitglied hat eine Stufe erreicht oder verlassen.',
      'member.points_changed': 'Die Treuepunkte eines Kunden haben sich geändert.',
      'store_credit.added': 'Ein Kunde hat Guthaben bekommen.',
      'store_credit.deducted': 'Guthaben ist ausgegeben oder zurückgenommen worden.'
    }
  }
})

/** The types by their kinds, as choices of a list. */
export function eventTypeGroups({ kinds, when }: EventTypeTexts): { group: string; items: EventType[] }[] {
  const types = Object.keys(when) as EventType[]
  return Object.entries(kinds).map(([kind, group]) => ({
    group,
    items: types.filter((type) => type.startsWith(`${kind}.`))
  }))
}
