import { areaTexts } from '../texts/area-texts.ts'

/** What several pages say about charges. `errors` by the class of an error. */
export const useChargeTexts = areaTexts({
  en: {
    unpaid: 'Unpaid',
    retry: {
      label: 'Charge again now',
      title: 'Charge this cycle again now?',
      text: (amount: string) =>
        `${amount} is charged to the payment method of the subscription. The planned tries stay as they are, and end when one succeeds.`,
      done: 'The charge is under way'
    },
    errors: {
      card_declined: 'The card was declined; the same card may work later',
      expired_payment_method: 'The payment method has expired',
      invalid_payment_method: 'The payment method cannot be charged',
      no_payment_method: 'There is no payment method',
      authentication_required: 'The customer must confirm the payment',
      customer_invalid: 'The account of the customer cannot pay',
      fraud_suspected: 'It looks like fraud',
      insufficient_inventory: 'Something in it is out of stock',
      invalid_order: 'The contract must be changed before it can be charged',
      contract_not_billable: 'The platform does not charge this contract',
      merchant_problem: 'The shop or its payment provider must be set right',
      not_accepted: 'The platform did not take the request',
      processing_error: 'The platform could not process it; it may work later',
      already_paid: 'The cycle was paid already',
      voided: 'It was called off before it was sent'
    } as Record<string, string>,
    bankCodes: {
      insufficient_funds: 'There is not enough money on the account; it may work later',
      do_not_honor: 'The bank declined it without a reason; it may work later',
      call_issuer: 'The bank wants a call by the customer',
      transaction_limit_exceeded: 'The card is over its limit; it may work later',
      account_closed: 'The account behind the card is closed',
      lost_card: 'The card was reported lost',
      stolen_card: 'The card was reported stolen'
    } as Record<string, string>
  },
  de: {
    unpaid: 'Unbezahlt',
    retry: {
      label: 'Jetzt nochmals abbuchen',
      title: 'Diesen Zyklus jetzt nochmals abbuchen?',
      text: (amount) =>
        `${amount} werden vom Zahlungsmittel des Abonnements abgebucht. Die geplanten Versuche bleiben und enden, sobald einer gelingt.`,
      done: 'Die Abbuchung ist unterwegs'
    },
    errors: {
      card_declined: 'Die Karte wurde abgelehnt; sie kann später gehen',
      expired_payment_method: 'Das Zahlungsmittel ist abgelaufen',
      invalid_payment_method: 'Das Zahlungsmittel kann nicht belastet werden',
      no_payment_method: 'Es gibt kein Zahlungsmittel',
      authentication_required: 'Der Kunde muss die Zahlung bestätigen',
      customer_invalid: 'Das Konto des Kunden kann nicht zahlen',
      fraud_suspected: 'Es sieht nach Betrug aus',
      insufficient_inventory: 'Etwas darin ist ausverkauft',
      invalid_order: 'Der Vertrag muss geändert werden, bevor er belastet werden kann',
      contract_not_billable: 'Die Plattform belastet diesen Vertrag nicht',
      merchant_problem: 'Beim Shop oder seinem Zahlungsanbieter ist etwas zu richten',
      not_accepted: 'Die Plattform hat die Anfrage nicht angenommen',
      processing_error: 'Die Plattform konnte sie nicht verarbeiten; später kann es gehen',
      already_paid: 'Der Zyklus war schon bezahlt',
      voided: 'Sie wurde abgesagt, bevor sie gesendet war'
    },
    bankCodes: {
      insufficient_funds: 'Auf dem Konto ist nicht genug Geld; später kann es gehen',
      do_not_honor: 'Die Bank hat sie ohne Grund abgelehnt; später kann es gehen',
      call_issuer: 'Die Bank wünscht einen Anruf des Kunden',
      transaction_limit_exceeded: 'Das Limit der Karte ist erreicht; später kann es gehen',
      account_closed: 'Das Konto hinter der Karte ist geschlossen',
      lost_card: 'Die Karte wurde als verloren gemeldet',
      stolen_card: 'Die Karte wurde als gestohlen gemeldet'
    }
  }
})
