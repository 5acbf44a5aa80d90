import { areaTexts } from '../../shared/texts/area-texts.ts'

const ONE_DE: Record<string, string> = {
  day: 'Jeden Tag',
  week: 'Jede Woche',
  month: 'Jeden Monat',
  year: 'Jedes Jahr'
}
const MANY_DE: Record<string, string> = { day: 'Tage', week: 'Wochen', month: 'Monate', year: 'Jahre' }

export const useSubscriptionsTexts = areaTexts({
  en: {
    total: (count: string, isOne: boolean) => (isOne ? `${count} subscription` : `${count} subscriptions`),
    columns: {
      subscription: 'Subscription',
      customer: 'Customer',
      status: 'Status',
      price: 'Price',
      cycle: 'Paid cycles',
      nextBilling: 'Next charge',
      created: 'Began'
    },
    filters: 'Filters',
    status: 'Status',
    plan: 'Plan',
    clear: 'Clear filters',
    none: 'No subscriptions yet',
    noneText:
      'A subscription begins when somebody buys a plan or subscribes to a product in the shop, or when an import brings it.',
    nothingFound: 'No subscription matches these filters',
    nothingFoundText: 'Clear the filters to see all.',
    toList: 'All subscriptions',
    details: 'Details',
    id: 'Subscription',
    contract: 'Contract on the platform',
    customer: 'Customer',
    price: 'Price of a cycle',
    discounts: 'Discounts on the next cycle',
    interval: 'Cycle',
    every: (count: number, unit: string) => (count === 1 ? `Every ${unit}` : `Every ${count} ${unit}s`),
    paidCycles: (paid: string, max: string | null) => (max === null ? paid : `${paid} of ${max}`),
    nextCharge: 'Next charge',
    trialEnds: 'Trial ends',
    pausedAt: 'Paused since',
    resumesAt: 'Resumes by itself',
    cancelledAt: 'Ended',
    cancelReason: 'Why',
    reactivatableUntil: 'Can be taken back until',
    pendingChange: 'Requested change',
    pendingChangeText: 'Not in the contract of the platform yet; it takes effect with the next cycle.',
    gift: 'Given to',
    offer: 'Accepted offer',
    unpaid: {
      title: (cycle: string) => `Cycle ${cycle} is unpaid`,
      neverTried: 'It was due during a pause and was not charged yet.',
      nextTry: 'Next try',
      noTry: 'No further try is planned.',
      underWay: 'Another try is under way.',
      whenResumed: 'It is charged a day after the subscription goes on, as long as its period runs then.',
      toTries: 'See its tries'
    },
    history: 'History',
    noHistory: 'Nothing has happened yet.',
    attempts: 'Charges',
    noAttempts: 'Nothing was charged yet. The first payment is the order of the checkout.',
    attemptColumns: {
      date: 'Date',
      cycle: 'Cycle',
      amount: 'Amount',
      status: 'Status',
      why: 'Why it failed',
      next: 'Next try'
    },
    attemptOf: (cycle: string, nth: string) => `${cycle}, try ${nth}`,
    pause: {
      label: 'Pause',
      title: 'Pause this subscription?',
      text: 'Nothing is charged while it is paused. The member keeps no benefits of the plan until it resumes.',
      days: 'Days',
      daysHelp: 'It resumes by itself after so many days. Leave it empty for a pause without an end.',
      done: 'Paused'
    },
    resume: {
      label: 'Resume',
      title: 'Resume this subscription?',
      text: 'It is charged again, and the member has the benefits of the plan. Nothing is charged at once.',
      date: 'Next charge on',
      dateHelp: 'Leave it empty for the next date of the schedule, or for the unpaid cycle',
      done: 'Resumed'
    },
    preview: {
      next: (cycle: string) => `Next charge, of cycle ${cycle}`,
      unpaidNext: (cycle: string) => `Next charge, of the unpaid cycle ${cycle}`,
      otherDate: (cycle: string) => `With a date of your choice cycle ${cycle} is not charged any more.`,
      dropped: 'This planned try is not made',
      unpaidLater: (cycle: string) =>
        `Cycle ${cycle} is unpaid. It is charged a day after the subscription goes on, as long as its period runs then.`,
      reactivatable: 'The cancellation can be taken back until',
      resumes: 'It resumes by itself',
      noEnd: 'It resumes when somebody resumes it.'
    },
    skip: {
      label: 'Skip next cycle',
      title: 'Skip the next cycle?',
      refused: 'The next cycle cannot be skipped now',
      whileUnpaid:
        'It was charged and is unpaid: its tries go on until it is paid or given up. Charge it again, or pause or cancel the subscription.',
      held: 'The cycle that is held for a person is never charged.',
      text: (date: string) => `The charge of ${date} is never made. The charge after it keeps its date.`,
      done: 'The next cycle is skipped'
    },
    cancel: {
      label: 'Cancel',
      title: 'Cancel this subscription?',
      text: 'It ends at once, and nothing is charged any more. The member loses the benefits of the plan. For as long as the settings allow, the cancellation can be taken back.',
      reason: 'Reason',
      comment: 'In the words of the customer',
      confirm: 'Cancel the subscription',
      done: 'Cancelled'
    },
    reactivate: {
      label: 'Take the cancellation back',
      title: 'Take the cancellation back?',
      text: 'It continues as if it had not been cancelled. Nothing is charged at once.',
      done: 'It is active again'
    },
    change: {
      label: 'Change',
      title: 'Change this subscription',
      text: 'A date takes effect at once. Plan, price and cycle go to the platform first and take effect with the next cycle. Empty fields stay as they are.',
      date: 'Next charge on',
      plan: 'Plan',
      price: 'Price of a cycle',
      done: 'The change is under way'
    },
    giftAction: {
      label: 'Give away',
      title: 'Give this membership away?',
      text: 'The receiver becomes the member. The customer of this subscription continues to pay.',
      receiver: 'Receiver',
      receiverHelp: 'An e-mail address, or the number of a customer',
      done: 'Given away'
    },
    revokeGift: {
      label: 'Take the gift back',
      title: 'Take the gift back?',
      text: 'The customer who pays becomes the member again.',
      done: 'Taken back'
    },
    note: { label: 'Add a note', title: 'A note for the history', note: 'Note', done: 'Noted' }
  },
  de: {
    total: (count, isOne) => (isOne ? `${count} Abonnement` : `${count} Abonnements`),
    columns: {
      subscription: 'Abonnement',
      customer: 'Kunde',
      status: 'Status',
      price: 'Preis',
      cycle: 'Bezahlte Zyklen',
      nextBilling: 'Nächste Abbuchung',
      created: 'Beginn'
    },
    filters: 'Filter',
    status: 'Status',
    plan: 'Plan',
    clear: 'Filter löschen',
    none: 'Noch keine Abonnements',
    noneText:
      'Ein Abonnement beginnt, wenn jemand im Shop einen Plan kauft oder ein Produkt abonniert, oder durch einen Import.',
    nothingFound: 'Kein Abonnement passt zu diesen Filtern',
    nothingFoundText: 'Löschen Sie die Filter, um alle zu sehen.',
    toList: 'Alle Abonnements',
    details: 'Angaben',
    id: 'Abonnement',
    contract: 'Vertrag auf der Plattform',
    customer: 'Kunde',
    price: 'Preis eines Zyklus',
    discounts: 'Rabatte auf den nächsten Zyklus',
    interval: 'Zyklus',
    every: (count, unit) => (count === 1 ? ONE_DE[unit]! : `Alle ${count} ${MANY_DE[unit]}`),
    paidCycles: (paid, max) => (max === null ? paid : `${paid} von ${max}`),
    nextCharge: 'Nächste Abbuchung',
    trialEnds: 'Probezeit endet',
    pausedAt: 'Pausiert seit',
    resumesAt: 'Läuft von selbst weiter',
    cancelledAt: 'Beendet',
    cancelReason: 'Grund',
    reactivatableUntil: 'Rücknahme möglich bis',
    pendingChange: 'Beantragte Änderung',
    pendingChangeText: 'Noch nicht im Vertrag der Plattform; sie gilt ab dem nächsten Zyklus.',
    gift: 'Verschenkt an',
    offer: 'Angenommenes Angebot',
    unpaid: {
      title: (cycle) => `Zyklus ${cycle} ist unbezahlt`,
      neverTried: 'Er war in einer Pause fällig und wurde noch nicht abgebucht.',
      nextTry: 'Nächster Versuch',
      noTry: 'Kein weiterer Versuch ist geplant.',
      underWay: 'Ein weiterer Versuch läuft gerade.',
      whenResumed:
        'Er wird einen Tag nach dem Fortsetzen des Abonnements abgebucht, sofern sein Zeitraum dann noch läuft.',
      toTries: 'Seine Versuche ansehen'
    },
    history: 'Verlauf',
    noHistory: 'Noch ist nichts geschehen.',
    attempts: 'Abbuchungen',
    noAttempts: 'Noch wurde nichts abgebucht. Die erste Zahlung ist die Bestellung im Checkout.',
    attemptColumns: {
      date: 'Datum',
      cycle: 'Zyklus',
      amount: 'Betrag',
      status: 'Status',
      why: 'Grund des Scheiterns',
      next: 'Nächster Versuch'
    },
    attemptOf: (cycle, nth) => `${cycle}, Versuch ${nth}`,
    pause: {
      label: 'Pausieren',
      title: 'Dieses Abonnement pausieren?',
      text: 'In der Pause wird nichts abgebucht. Das Mitglied hat bis zum Ende der Pause keine Vorteile des Plans.',
      days: 'Tage',
      daysHelp: 'Nach so vielen Tagen läuft es von selbst weiter. Leer: eine Pause ohne Ende.',
      done: 'Pausiert'
    },
    resume: {
      label: 'Fortsetzen',
      title: 'Dieses Abonnement fortsetzen?',
      text: 'Es wird wieder abgebucht, und das Mitglied hat die Vorteile des Plans. Sofort wird nichts abgebucht.',
      date: 'Nächste Abbuchung am',
      dateHelp: 'Leer: der nächste Termin des Zeitplans oder der unbezahlte Zyklus',
      done: 'Fortgesetzt'
    },
    preview: {
      next: (cycle) => `Nächste Abbuchung, von Zyklus ${cycle}`,
      unpaidNext: (cycle) => `Nächste Abbuchung, vom unbezahlten Zyklus ${cycle}`,
      otherDate: (cycle) => `Mit einem selbst gewählten Datum wird Zyklus ${cycle} nicht mehr abgebucht.`,
      dropped: 'Dieser geplante Versuch entfällt',
      unpaidLater: (cycle) =>
        `Zyklus ${cycle} ist unbezahlt. Er wird einen Tag nach dem Fortsetzen abgebucht, sofern sein Zeitraum dann noch läuft.`,
      reactivatable: 'Die Kündigung kann zurückgenommen werden bis',
      resumes: 'Es läuft von selbst weiter',
      noEnd: 'Es läuft weiter, wenn jemand es fortsetzt.'
    },
    skip: {
      label: 'Nächsten Zyklus auslassen',
      title: 'Den nächsten Zyklus auslassen?',
      refused: 'Der nächste Zyklus kann jetzt nicht ausgelassen werden',
      whileUnpaid:
        'Er wurde abgebucht und ist unbezahlt: Die Versuche laufen, bis er bezahlt oder aufgegeben ist. Buchen Sie ihn nochmals ab, oder pausieren oder kündigen Sie das Abonnement.',
      held: 'Der Zyklus, der auf einen Menschen wartet, wird nie abgebucht.',
      text: (date) => `Die Abbuchung vom ${date} findet nie statt. Die danach behält ihren Termin.`,
      done: 'Der nächste Zyklus wird ausgelassen'
    },
    cancel: {
      label: 'Kündigen',
      title: 'Dieses Abonnement kündigen?',
      text: 'Es endet sofort, und es wird nichts mehr abgebucht. Das Mitglied verliert die Vorteile des Plans. So lange die Einstellungen es erlauben, kann die Kündigung zurückgenommen werden.',
      reason: 'Grund',
      comment: 'In den Worten des Kunden',
      confirm: 'Abonnement kündigen',
      done: 'Gekündigt'
    },
    reactivate: {
      label: 'Kündigung zurücknehmen',
      title: 'Die Kündigung zurücknehmen?',
      text: 'Es läuft weiter, als wäre es nicht gekündigt worden. Sofort wird nichts abgebucht.',
      done: 'Es ist wieder aktiv'
    },
    change: {
      label: 'Ändern',
      title: 'Dieses Abonnement ändern',
      text: 'Ein Datum gilt sofort. Plan, Preis und Zyklus gehen zuerst an die Plattform und gelten ab dem nächsten Zyklus. Leere Felder bleiben, wie sie sind.',
      date: 'Nächste Abbuchung am',
      plan: 'Plan',
      price: 'Preis eines Zyklus',
      done: 'Die Änderung ist unterwegs'
    },
    giftAction: {
      label: 'Verschenken',
      title: 'Diese Mitgliedschaft verschenken?',
      text: 'Der Empfänger wird Mitglied. Der Kunde dieses Abonnements zahlt weiter.',
      receiver: 'Empfänger',
      receiverHelp: 'Eine E-Mail-Adresse oder die Nummer eines Kunden',
      done: 'Verschenkt'
    },
    revokeGift: {
      label: 'Geschenk zurücknehmen',
      title: 'Das Geschenk zurücknehmen?',
      text: 'Wer zahlt, wird wieder das Mitglied.',
      done: 'Zurückgenommen'
    },
    note: { label: 'Notiz hinzufügen', title: 'Eine Notiz für den Verlauf', note: 'Notiz', done: 'Notiert' }
  }
})
