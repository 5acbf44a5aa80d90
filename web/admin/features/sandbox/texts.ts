import { areaTexts } from '../../shared/texts/area-texts.ts'

export const useSandboxTexts = areaTexts({
  en: {
    notHere: {
      title: 'This store is a real one',
      text: 'Its customers and its money are real, and its time is everybody’s. Sandbox stores, made with “perennial store create --sandbox”, have a clock to move and customers to play with.'
    },
    mark: 'This store is a sandbox',
    markText:
      'Its customers, cards and orders are made up, and no money moves. Everything else runs as in a real store: billing, tries, webhooks, mails.',
    shop: 'Open the shop as a customer sees it',
    mail: 'Mails that its customers got',
    clock: 'Clock',
    realTime: 'Real time',
    clockText:
      'The store lives in a time of its own. When you move it, everything that falls due meanwhile is done, in its order: charges, tries, expiries, webhooks. It cannot be moved back.',
    noClock:
      'This store lives in real time: what falls due is done when its time comes. Only a store that was made with a clock has one to move.',
    newStore: {
      label: 'New sandbox store',
      text: 'A store of its own, with made-up customers, for trying things out.',
      name: 'Name',
      domain: 'Domain',
      domainHelp: 'Any host name that no other store has, such as trial.example',
      timezone: 'Time zone',
      currency: 'Currency',
      withClock: 'With a clock that can be moved',
      clock: 'It begins at',
      create: 'Create the store',
      done: 'The store is ready. Its first plan is yours to make.'
    },
    steps: { P1D: '1 day ahead', P1W: '1 week ahead', P1M: '1 month ahead' },
    until: (zone: string) => `Or until (${zone})`,
    advance: 'Move the clock',
    moving: 'What falls due is being done. It goes on if you leave this page.',
    movedTo: (time: string) => `The clock is at ${time}`,
    charges: (succeeded: string, failed: string) => `Charges: ${succeeded} paid, ${failed} failed.`,
    toFailed: 'See why',
    pendingCharges: (waiting: string) => `Without an outcome yet: ${waiting}`,
    quiet: 'The service did everything that fell due, without a problem of its own or an alert.',
    unsettled: 'Not everything that fell due is done yet. Look at the problems on the overview.',
    undelivered: (count: string) => `Webhook deliveries that failed in every try: ${count}`,
    problems: 'What does not work',
    alerts: 'Alerts that were raised meanwhile',
    number: 'Customer',
    numberHelp: 'Type a name or an address and choose, or enter the number.',
    toMember: 'Open',
    customer: {
      title: 'Make a customer',
      text: 'With a card that succeeds. Whoever has this address already is taken as they are.',
      label: 'Make the customer',
      email: 'E-mail address',
      firstName: 'First name',
      lastName: 'Last name',
      phone: 'Telephone',
      phoneHelp: 'With its country code, such as +14155550123',
      noName: 'Without a name',
      done: 'The customer is'
    },
    join: {
      title: 'Join a plan',
      text: 'The customer checks out with a plan: an order, a contract and a subscription.',
      label: 'Join',
      noPlans: 'This store sells no plan yet: make one under Plans.',
      plan: 'Plan',
      done: 'Joined:'
    },
    card: {
      title: 'Script the card',
      text: 'What becomes of the next charges of the customer, until you set something else.',
      label: 'Set the card',
      outcome: 'The next charges',
      outcomes: {
        'insufficient_funds,success': 'The next one is declined, then all are paid',
        insufficient_funds: 'All are declined, and may work later',
        expired_card: 'The card has expired',
        '3ds': 'The bank wants a confirmation',
        insufficient_inventory: 'Something is out of stock',
        late: 'They are paid 26 hours later',
        success: 'All are paid'
      },
      others: 'Something else',
      sequence: 'Outcomes',
      sequenceHelp: 'With commas between, each for one charge and the last for all that follow.',
      done: 'The card is set:'
    },
    order: {
      title: 'Place an order',
      text: 'The customer buys something once, paid with their card.',
      label: 'Place the order',
      total: (currency: string) => `Total (${currency})`,
      done: (name: string) => `Order ${name} of`
    }
  },
  de: {
    notHere: {
      title: 'Das ist ein echter Shop',
      text: 'Seine Kunden und sein Geld sind echt, und seine Zeit ist die aller. Sandbox-Shops, angelegt mit „perennial store create --sandbox“, haben eine Uhr zum Verstellen und Kunden zum Ausprobieren.'
    },
    mark: 'Dieser Shop ist eine Sandbox',
    markText:
      'Seine Kunden, Karten und Bestellungen sind erfunden, und es fließt kein Geld. Alles andere läuft wie in einem echten Shop: Abbuchungen, Versuche, Webhooks, E-Mails.',
    shop: 'Den Shop öffnen, wie ihn Kunden sehen',
    mail: 'E-Mails, die seine Kunden bekamen',
    clock: 'Uhr',
    realTime: 'Echtzeit',
    clockText:
      'Der Shop lebt in seiner eigenen Zeit. Wenn Sie sie vorstellen, geschieht alles, was inzwischen fällig wird, der Reihe nach: Abbuchungen, Versuche, Fristen, Webhooks. Zurückstellen lässt sie sich nicht.',
    noClock:
      'Dieser Shop lebt in Echtzeit: Was fällig wird, geschieht zu seiner Zeit. Nur ein Shop, der mit einer Uhr angelegt wurde, hat eine zum Verstellen.',
    newStore: {
      label: 'Neuer Sandbox-Shop',
      text: 'Ein eigener Shop mit erfundenen Kunden, zum Ausprobieren.',
      name: 'Name',
      domain: 'Domain',
      domainHelp: 'Ein beliebiger Hostname, den kein anderer Shop hat, etwa probe.example',
      timezone: 'Zeitzone',
      currency: 'Währung',
      withClock: 'Mit einer Uhr zum Verstellen',
      clock: 'Sie beginnt am',
      create: 'Shop anlegen',
      done: 'Der Shop ist bereit. Seinen ersten Plan legen Sie an.'
    },
    steps: { P1D: '1 Tag vor', P1W: '1 Woche vor', P1M: '1 Monat vor' },
    until: (zone) => `Oder bis (${zone})`,
    advance: 'Uhr vorstellen',
    moving: 'Was fällig wird, wird erledigt. Es geht weiter, auch wenn Sie diese Seite verlassen.',
    movedTo: (time) => `Die Uhr steht auf ${time}`,
    charges: (succeeded, failed) => `Abbuchungen: ${succeeded} bezahlt, ${failed} gescheitert.`,
    toFailed: 'Ansehen, warum',
    pendingCharges: (waiting) => `Noch ohne Ergebnis: ${waiting}`,
    quiet: 'Der Dienst hat alles Fällige erledigt, ohne eigenes Problem und ohne Meldung.',
    unsettled: 'Noch ist nicht alles Fällige erledigt. Sehen Sie die Probleme auf der Übersicht an.',
    undelivered: (count) => `Webhook-Zustellungen, die in jedem Versuch scheiterten: ${count}`,
    problems: 'Was nicht funktioniert',
    alerts: 'Meldungen aus dieser Zeit',
    number: 'Kunde',
    numberHelp: 'Name oder Adresse eingeben und wählen, oder die Nummer eingeben.',
    toMember: 'Öffnen',
    customer: {
      title: 'Einen Kunden anlegen',
      text: 'Mit einer Karte, die zahlt. Wer diese Adresse schon hat, wird genommen, wie er ist.',
      label: 'Kunden anlegen',
      email: 'E-Mail-Adresse',
      firstName: 'Vorname',
      lastName: 'Nachname',
      phone: 'Telefon',
      phoneHelp: 'Mit der Vorwahl des Landes, etwa +436641234567',
      noName: 'Ohne Namen',
      done: 'Der Kunde ist'
    },
    join: {
      title: 'Einem Plan beitreten',
      text: 'Der Kunde kauft einen Plan: eine Bestellung, ein Vertrag und ein Abonnement.',
      label: 'Beitreten',
      noPlans: 'Dieser Shop verkauft noch keinen Plan: Legen Sie unter Pläne einen an.',
      plan: 'Plan',
      done: 'Beigetreten:'
    },
    card: {
      title: 'Die Karte einstellen',
      text: 'Was aus den nächsten Abbuchungen des Kunden wird, bis Sie etwas anderes einstellen.',
      label: 'Karte einstellen',
      outcome: 'Die nächsten Abbuchungen',
      outcomes: {
        'insufficient_funds,success': 'Die nächste wird abgelehnt, danach gelingen alle',
        insufficient_funds: 'Alle werden abgelehnt und können später gehen',
        expired_card: 'Die Karte ist abgelaufen',
        '3ds': 'Die Bank verlangt eine Bestätigung',
        insufficient_inventory: 'Etwas ist ausverkauft',
        late: 'Sie werden 26 Stunden später bezahlt',
        success: 'Alle gelingen'
      },
      others: 'Etwas anderes',
      sequence: 'Ergebnisse',
      sequenceHelp: 'Durch Kommas getrennt, jedes für eine Abbuchung und das letzte für alle weiteren.',
      done: 'Die Karte ist eingestellt:'
    },
    order: {
      title: 'Eine Bestellung aufgeben',
      text: 'Der Kunde kauft einmal etwas und zahlt mit seiner Karte.',
      label: 'Bestellung aufgeben',
      total: (currency) => `Summe (${currency})`,
      done: (name) => `Bestellung ${name} von`
    }
  }
})
