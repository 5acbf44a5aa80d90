import { areaTexts } from '../../shared/texts/area-texts.ts'

export const useCreditTexts = areaTexts({
  en: {
    text: 'Store credit is money that a customer has with the shop. A balance is the sum of its entries; another entry corrects a mistake.',
    find: 'Find',
    clear: 'Another customer',
    customer: 'Customer',
    customerHelp: 'E-mail address or number',
    none: 'Whose credit?',
    noneText:
      'Enter the e-mail address of a customer to see the account and its ledger. Members get credit with each paid cycle, where their plan gives it; support can add some by hand.',
    nobody: 'There is no such customer',
    toMember: 'To the page of the customer',
    available: 'The customer can spend this now',
    balance: 'Balance',
    reserved: 'Reserved for checkouts',
    charged: 'Issued in all',
    used: 'Spent on orders',
    refunded: 'Taken back by refunds',
    disputed: 'Taken back by disputes',
    forfeited: 'Forfeited and expired',
    reconciled: 'Corrected by hand',
    ledger: 'Ledger',
    noEntries: 'There is no entry yet: the customer never had credit.',
    latestOnly: 'The latest 20 entries.',
    when: 'When',
    type: 'What',
    reason: 'Reason',
    reasonHelp: 'For the history; whoever looks at the account later reads it.',
    amount: 'Amount',
    after: 'Balance after it',
    order: 'Order',
    expires: 'Expires',
    expiresHelp: 'When what is left of it expires. Empty: never.',
    rightBalance: (currency: string) => `What the customer really has (${currency})`,
    amountIn: (currency: string) => `Amount (${currency})`,
    preview: (before: string, after: string) => `The balance goes from ${before} to ${after}.`,
    adjustments: {
      add: {
        label: 'Add credit',
        title: 'Add store credit',
        text: 'The customer can spend it at once, also on the platform.',
        done: (available: string) => `Added. The customer can spend ${available}`
      },
      deduct: {
        label: 'Deduct credit',
        title: 'Deduct store credit',
        text: 'More than the customer can spend is refused.',
        done: (available: string) => `Deducted. The customer can spend ${available}`
      },
      reconcile: {
        label: 'Set the balance',
        title: 'Set the balance that is right',
        text: 'An entry of the difference is made. Nothing happens where the balance is right already.',
        done: (available: string) => `The balance is set. The customer can spend ${available}`
      },
      forfeit: {
        label: 'Forfeit all',
        title: 'Forfeit all store credit?',
        text: 'Everything that the customer can spend is taken. What is reserved for a checkout is taken when the checkout gives it back.',
        done: (available: string) => `Forfeited. The customer can spend ${available}`
      }
    },
    types: {
      membership_charge: 'Paid cycle',
      churn_offer: 'Retention offer',
      loyalty_reward: 'Loyalty reward',
      import: 'Import',
      redemption: 'Spent on an order',
      redemption_restored: 'Given back by an order',
      refund: 'Refund',
      dispute: 'Dispute',
      forfeit: 'Forfeited',
      expired: 'Expired',
      manual_add: 'Added by hand',
      manual_deduct: 'Deducted by hand',
      reconciled: 'Corrected'
    } as Record<string, string>,
    platform: {
      title: 'On the platform',
      way: 'How it is spent',
      noWay: 'Not at all: the customer has no plan that gives credit',
      ways: {
        storecredit: 'As store credit of the platform',
        giftcard: 'By a gift card',
        coupon: 'By codes',
        function: 'By the discount function'
      } as Record<string, string>,
      available: 'By the ledger',
      there: 'On the platform',
      inStep: 'In step',
      notRead: 'Could not be read',
      giftCard: 'Gift card',
      reconcile: {
        label: 'Compare with the platform',
        title: 'Compare this account with the platform?',
        text: 'What was spent there becomes a redemption, what somebody else changed there a correction, and what is missing there is sent.',
        done: 'The account is compared'
      }
    },
    all: {
      title: 'For all customers',
      text: 'The service does both by itself. Here they are done at once.',
      expire: {
        label: 'Expire what is due',
        title: 'Expire all credit that is due?',
        text: 'All credit whose date has passed expires, and reservations of checkouts whose time is over end.',
        done: 'Done'
      },
      expired: (count: string) => `Expired credit and ended reservations: ${count}.`,
      reconcile: {
        label: 'Compare all with the platform',
        title: 'Compare all accounts with the platform?',
        text: 'For each account: what was spent there becomes a redemption, what somebody else changed there a correction, and what is missing there is sent. In a large store this goes on in the background.',
        done: 'Done'
      },
      compared: (compared: string, accounts: string) => `${compared} of ${accounts} accounts are compared.`,
      drift: (entries: string, amount: string) => `Corrected: ${entries}, ${amount} in sum.`,
      noDrift: 'None had been changed by others.',
      waiting: 'The others follow in the background.'
    }
  },
  de: {
    text: 'Guthaben ist Geld, das ein Kunde beim Shop hat. Ein Stand ist die Summe seiner Einträge; ein Fehler wird durch einen weiteren Eintrag berichtigt.',
    find: 'Suchen',
    clear: 'Ein anderer Kunde',
    customer: 'Kunde',
    customerHelp: 'E-Mail-Adresse oder Nummer',
    none: 'Wessen Guthaben?',
    noneText:
      'Geben Sie die E-Mail-Adresse eines Kunden ein, um das Konto und seine Einträge zu sehen. Mitglieder bekommen Guthaben mit jedem bezahlten Zyklus, wenn ihr Plan das gibt; der Support kann welches gutschreiben.',
    nobody: 'Es gibt keinen solchen Kunden',
    toMember: 'Zur Seite des Kunden',
    available: 'So viel kann der Kunde jetzt verwenden',
    balance: 'Stand',
    reserved: 'Für Bestellungen vorgemerkt',
    charged: 'Insgesamt ausgegeben',
    used: 'In Bestellungen verwendet',
    refunded: 'Durch Erstattungen zurückgenommen',
    disputed: 'Durch Rückbuchungen zurückgenommen',
    forfeited: 'Verfallen',
    reconciled: 'Von Hand berichtigt',
    ledger: 'Einträge',
    noEntries: 'Noch gibt es keinen Eintrag: der Kunde hatte nie Guthaben.',
    latestOnly: 'Die letzten 20 Einträge.',
    when: 'Wann',
    type: 'Was',
    reason: 'Grund',
    reasonHelp: 'Für die Geschichte; wer das Konto später ansieht, liest ihn.',
    amount: 'Betrag',
    after: 'Stand danach',
    order: 'Bestellung',
    expires: 'Verfällt',
    expiresHelp: 'Wann der Rest davon verfällt. Leer: nie.',
    rightBalance: (currency) => `Was der Kunde wirklich hat (${currency})`,
    amountIn: (currency) => `Betrag (${currency})`,
    preview: (before, after) => `Der Stand geht von ${before} auf ${after}.`,
    adjustments: {
      add: {
        label: 'Gutschreiben',
        title: 'Guthaben gutschreiben',
        text: 'Der Kunde kann es sofort verwenden, auch auf der Plattform.',
        done: (available) => `Gutgeschrieben. Verwendbar sind ${available}`
      },
      deduct: {
        label: 'Abziehen',
        title: 'Guthaben abziehen',
        text: 'Mehr, als der Kunde verwenden kann, wird abgelehnt.',
        done: (available) => `Abgezogen. Verwendbar sind ${available}`
      },
      reconcile: {
        label: 'Stand setzen',
        title: 'Den richtigen Stand setzen',
        text: 'Ein Eintrag über den Unterschied wird gemacht. Stimmt der Stand schon, geschieht nichts.',
        done: (available) => `Der Stand ist gesetzt. Verwendbar sind ${available}`
      },
      forfeit: {
        label: 'Alles verfallen lassen',
        title: 'Das ganze Guthaben verfallen lassen?',
        text: 'Alles, was der Kunde verwenden kann, wird genommen. Vorgemerktes wird genommen, sobald die Bestellung es zurückgibt.',
        done: (available) => `Verfallen. Verwendbar sind ${available}`
      }
    },
    types: {
      membership_charge: 'Bezahlter Zyklus',
      churn_offer: 'Angebot zum Bleiben',
      loyalty_reward: 'Treuebelohnung',
      import: 'Import',
      redemption: 'In einer Bestellung verwendet',
      redemption_restored: 'Von einer Bestellung zurück',
      refund: 'Erstattung',
      dispute: 'Rückbuchung',
      forfeit: 'Verfallen',
      expired: 'Abgelaufen',
      manual_add: 'Von Hand gutgeschrieben',
      manual_deduct: 'Von Hand abgezogen',
      reconciled: 'Berichtigt'
    } as Record<string, string>,
    platform: {
      title: 'Auf der Plattform',
      way: 'Wie es verwendet wird',
      noWay: 'Gar nicht: der Kunde hat keinen Plan, der Guthaben gibt',
      ways: {
        storecredit: 'Als Guthaben der Plattform',
        giftcard: 'Durch eine Geschenkkarte',
        coupon: 'Durch Codes',
        function: 'Durch die Rabattfunktion'
      } as Record<string, string>,
      available: 'Nach den Einträgen',
      there: 'Auf der Plattform',
      inStep: 'Stimmt überein',
      notRead: 'Konnte nicht gelesen werden',
      giftCard: 'Geschenkkarte',
      reconcile: {
        label: 'Mit der Plattform vergleichen',
        title: 'Dieses Konto mit der Plattform vergleichen?',
        text: 'Was dort ausgegeben wurde, wird eine Verwendung, was jemand anderes dort geändert hat, eine Berichtigung, und was dort fehlt, wird gesendet.',
        done: 'Das Konto ist verglichen'
      }
    },
    all: {
      title: 'Für alle Kunden',
      text: 'Beides tut der Dienst von selbst. Hier geschieht es sofort.',
      expire: {
        label: 'Fälliges verfallen lassen',
        title: 'Alles fällige Guthaben verfallen lassen?',
        text: 'Alles Guthaben, dessen Datum vorbei ist, verfällt, und abgelaufene Vormerkungen enden.',
        done: 'Erledigt'
      },
      expired: (count) => `Verfallenes Guthaben und beendete Vormerkungen: ${count}.`,
      reconcile: {
        label: 'Alle mit der Plattform vergleichen',
        title: 'Alle Konten mit der Plattform vergleichen?',
        text: 'Für jedes Konto: was dort ausgegeben wurde, wird eine Verwendung, was jemand anderes dort geändert hat, eine Berichtigung, und was dort fehlt, wird gesendet. In einem großen Shop geht das im Hintergrund weiter.',
        done: 'Erledigt'
      },
      compared: (compared, accounts) => `${compared} von ${accounts} Konten sind verglichen.`,
      drift: (entries, amount) => `Berichtigt: ${entries}, zusammen ${amount}.`,
      noDrift: 'Keines hatte jemand anderes geändert.',
      waiting: 'Die anderen folgen im Hintergrund.'
    }
  }
})
