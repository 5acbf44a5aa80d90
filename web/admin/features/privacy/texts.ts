import { areaTexts } from '../../shared/texts/area-texts.ts'

export const usePrivacyTexts = areaTexts({
  en: {
    text: 'What customers have a right to: a copy of everything that is held about them, and its erasure. Each request must be done within 30 days.',
    none: 'Nobody has asked yet',
    noneText:
      'Customers have a right to a copy of everything that is held about them, and to its erasure. The platform sends such requests by itself; for whoever asks you, make one here. Each is recorded and done within 30 days.',
    list: 'Privacy requests',
    request: 'Request',
    topic: 'What',
    topics: {
      'customers/data_request': 'A copy of all data',
      'customers/redact': 'Erasure',
      'shop/redact': 'Erasure of the shop'
    } as Record<string, string>,
    customer: 'Customer',
    from: 'From',
    sources: { platform: 'The platform', operator: 'Here' } as Record<string, string>,
    status: 'Status',
    statuses: {
      waiting: 'Waits to begin',
      running: 'Running',
      checking: 'Checked once more',
      ready: 'Ready to be fetched',
      done: 'Done',
      refused: 'Refused'
    } as Record<string, string>,
    received: 'Came',
    due: 'Due',
    doneOn: 'Done',
    result: 'Result',
    rows: (count: string) => `${count} rows`,
    download: {
      label: 'Download the file',
      title: 'Download this customer’s data?',
      text: 'The file has everything that is held about the customer. Hand it to the customer and to nobody else. With the download the request is done.',
      confirmLabel: 'Download',
      done: 'The file is downloaded'
    },
    start: {
      label: 'New request',
      title: 'New privacy request',
      what: 'What the customer asks for',
      exportText: 'A file is made of everything that is held about them. It can be fetched here for 30 days.',
      erasureText:
        'Who they are is erased everywhere in this store: names, addresses, phones, texts. It takes 15 minutes or more, since everything is looked through twice. What was bought and paid stays, without the person.',
      customer: 'Customer',
      customerHelp: 'E-mail address or number. Of an address that no customer has, what else has it is found.',
      phone: 'Phone',
      phoneHelp: 'What has it is found too, however it is written.',
      end: 'End the running subscriptions',
      endHelp: 'Without it, a customer who has any is refused.',
      sure: 'I have made sure who asks, and that this cannot be taken back',
      sureNeeded: 'must be confirmed',
      export: 'Make the file',
      erase: 'Erase the customer',
      done: (found: number) =>
        found === 0 ? 'Requested. No customer has that address; texts with it are looked for.' : 'Requested'
    }
  },
  de: {
    text: 'Worauf Kunden ein Recht haben: eine Kopie von allem, was über sie gespeichert ist, und seine Löschung. Jede Anfrage muss in 30 Tagen erledigt sein.',
    none: 'Noch hat niemand gefragt',
    noneText:
      'Kunden haben ein Recht auf eine Kopie von allem, was über sie gespeichert ist, und auf seine Löschung. Die Plattform sendet solche Anfragen von selbst; für wen sich an Sie wendet, legen Sie hier eine an. Jede wird festgehalten und in 30 Tagen erledigt.',
    list: 'Datenschutz-Anfragen',
    request: 'Anfrage',
    topic: 'Was',
    topics: {
      'customers/data_request': 'Eine Kopie aller Daten',
      'customers/redact': 'Löschung',
      'shop/redact': 'Löschung des Shops'
    } as Record<string, string>,
    customer: 'Kunde',
    from: 'Von',
    sources: { platform: 'Der Plattform', operator: 'Hier' } as Record<string, string>,
    status: 'Status',
    statuses: {
      waiting: 'Wartet auf den Beginn',
      running: 'Läuft',
      checking: 'Wird noch einmal geprüft',
      ready: 'Liegt zum Abholen bereit',
      done: 'Erledigt',
      refused: 'Abgelehnt'
    } as Record<string, string>,
    received: 'Gekommen',
    due: 'Fällig',
    doneOn: 'Erledigt',
    result: 'Ergebnis',
    rows: (count) => `${count} Zeilen`,
    download: {
      label: 'Datei herunterladen',
      title: 'Die Daten dieses Kunden herunterladen?',
      text: 'Die Datei enthält alles, was über den Kunden gespeichert ist. Geben Sie sie nur ihm. Mit dem Herunterladen ist die Anfrage erledigt.',
      confirmLabel: 'Herunterladen',
      done: 'Die Datei ist heruntergeladen'
    },
    start: {
      label: 'Neue Anfrage',
      title: 'Neue Datenschutz-Anfrage',
      what: 'Was der Kunde verlangt',
      exportText:
        'Eine Datei mit allem wird gemacht, was über ihn gespeichert ist. Sie kann hier 30 Tage lang abgeholt werden.',
      erasureText:
        'Wer er ist, wird in diesem Shop überall gelöscht: Namen, Adressen, Telefonnummern, Texte. Es dauert 15 Minuten oder mehr, denn alles wird zweimal durchgesehen. Was gekauft und bezahlt wurde, bleibt, ohne die Person.',
      customer: 'Kunde',
      customerHelp:
        'E-Mail-Adresse oder Nummer. Zu einer Adresse, die kein Kunde hat, wird gefunden, was sie sonst enthält.',
      phone: 'Telefon',
      phoneHelp: 'Was sie enthält, wird auch gefunden, wie immer sie geschrieben ist.',
      end: 'Laufende Abonnements beenden',
      endHelp: 'Ohne dies wird ein Kunde abgelehnt, der welche hat.',
      sure: 'Ich habe mich vergewissert, wer fragt und dass dies nicht zurückgenommen werden kann',
      sureNeeded: 'muss bestätigt werden',
      export: 'Datei machen',
      erase: 'Kunden löschen',
      done: (found) =>
        found === 0 ? 'Angefragt. Kein Kunde hat diese Adresse; nach Texten mit ihr wird gesucht.' : 'Angefragt'
    }
  }
})
