import { useChargeTexts } from '../charges/texts.ts'
import { areaTexts } from '../texts/area-texts.ts'

const useTexts = areaTexts<Record<string, string>>({
  en: {
    too_expensive: 'Too expensive',
    not_using_enough: 'Not used enough',
    enough_items: 'Has enough for now',
    not_need_subscription: 'Needs no subscription',
    not_found_products: 'Finds no products to like',
    order_issues: 'Problems with orders',
    technical_issues: 'Something on the site does not work',
    use_another_service: 'Uses another service',
    other: 'Another reason',
    payment_failed: 'The payment failed',
    platform: 'Ended on the platform',
    customer_deleted: 'The customer was deleted',
    chargeback: 'The payment was charged back',
    expired: 'All its cycles are paid',
    billing_cycle_skipped: 'The cycle was skipped on the platform'
  },
  de: {
    too_expensive: 'Zu teuer',
    not_using_enough: 'Zu wenig genutzt',
    enough_items: 'Hat vorerst genug',
    not_need_subscription: 'Braucht kein Abonnement',
    not_found_products: 'Findet keine passenden Produkte',
    order_issues: 'Probleme mit Bestellungen',
    technical_issues: 'Etwas auf der Seite geht nicht',
    use_another_service: 'Nutzt einen anderen Dienst',
    other: 'Ein anderer Grund',
    payment_failed: 'Die Zahlung ist gescheitert',
    platform: 'Auf der Plattform beendet',
    customer_deleted: 'Der Kunde wurde gelöscht',
    chargeback: 'Die Zahlung wurde zurückgebucht',
    expired: 'Alle Zyklen sind bezahlt',
    billing_cycle_skipped: 'Der Zyklus wurde auf der Plattform ausgelassen'
  }
})

/** Why a subscription ended, in words; what somebody wrote stays as it is. */
export function useCancelReason(): (reason: string) => string {
  const texts = useTexts()
  const { errors } = useChargeTexts()
  return (reason) => texts[reason] ?? errors[reason] ?? reason
}
