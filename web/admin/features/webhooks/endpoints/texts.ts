import { areaTexts } from '../../../shared/texts/area-texts.ts'

export const useEndpointsTexts = areaTexts({
  en: {
    lead: 'An endpoint is an https address of yours to which Perennial posts what happens in this store, signed with a secret of its own.',
    register: 'Register an endpoint',
    list: 'Endpoints',
    none: 'Nobody is told what happens here',
    noneText:
      'Register the address of a receiver. Send it a test of any event type, look at what it answered, and mend it, before real events come.',
    columns: { url: 'Address', status: 'State', events: 'Receives', description: 'Description' },
    everything: 'Every type',
    types: (count: string) => `${count} types`,
    editTitle: 'Change the endpoint',
    save: 'Save the endpoint',
    saved: 'The endpoint is saved',
    url: 'Address',
    urlHelp: 'https, and reachable from the internet. It is to answer with a 2xx status within 30 seconds.',
    urlSandbox: 'This is a sandbox store: http://127.0.0.1 works too.',
    description: 'Description',
    descriptionHelp: 'What lists say about it, such as the program behind it',
    receives: 'It receives',
    all: 'Every type, those to come included',
    some: 'Only these',
    needType: 'Choose at least one type',
    changedMeanwhile:
      'Somebody else has changed this endpoint meanwhile. Close this dialog to see it as it is now, and change it then.',
    createdTitle: 'The endpoint is registered',
    rolledTitle: 'The endpoint has a new secret',
    secret: 'Signing secret',
    secretText:
      'The receiver checks with it that a delivery is from here. The signature helper shows whether your code computes the same.',
    rolledText: (time: string) =>
      `Until ${time} deliveries are signed with the old secret and with the new one. Give the new one to every process of the receiver, then end the overlap.`,
    rolledAtOnce: 'Only the new secret signs from now on.',
    toList: 'All endpoints',
    facts: 'Details',
    id: 'Endpoint',
    state: 'State',
    failingSince: 'Failing since',
    failedDeliveries: (count: string) => `Deliveries that ran out of tries since then: ${count}`,
    disabledAt: 'Disabled since',
    created: 'Registered',
    changed: 'Last changed',
    overlap: 'Two secrets sign until',
    events: 'Receives',
    testSend: 'Send a test',
    testTitle: 'Send a test',
    testText:
      'A realistic sample is posted once, signed like any other and marked as a test. Its customer and order do not exist.',
    eventType: 'Event type',
    send: 'Send',
    disable: 'Disable',
    disableTitle: 'Disable the endpoint?',
    disableText:
      'Deliveries that wait are cancelled, and events that occur meanwhile are not queued for it. When you enable it again, you are told what it missed and can send it.',
    reason: 'Reason',
    reasonHelp: 'For lists; may stay empty',
    disabled: 'The endpoint is disabled',
    enable: 'Enable',
    enableTitle: 'Enable the endpoint?',
    enableText:
      'It receives events from the next one on. What it missed is not sent by itself; you are told how much that is.',
    enabled: 'The endpoint is enabled',
    missedTitle: 'What it missed',
    missedNothing: 'It missed nothing.',
    missedText: (events: string) =>
      `${events} events of its types occurred while it was disabled and were never queued for it.`,
    undeliveredText: (time: string) => `What failed or was cancelled since ${time} was not sent again.`,
    sendMissed: 'Send what it missed',
    roll: 'Roll the secret',
    rollText:
      'A new secret is made and shown once. During the overlap both sign, so that the receiver can change without a gap.',
    rollAgain: 'A roll is under way: the new secret is replaced, the old one stays, and the overlap begins anew.',
    rollOverlap: 'The old secret signs too',
    overlaps: {
      '0': 'No longer: only the new one signs, at once',
      '1': 'For an hour',
      '24': 'For a day',
      '72': 'For three days',
      '168': 'For a week'
    } as Record<string, string>,
    rollLeaked:
      'Deliveries fail until the receiver has the new secret. Choose this for a secret that others have seen.',
    endRoll: 'End the overlap',
    endRollTitle: 'End the overlap now?',
    endRollText:
      'From now on only the new secret signs, in X-Svc-Signature. A process of the receiver that does not have it yet refuses every delivery.',
    rollEnded: 'Only the new secret signs now',
    remove: 'Delete',
    removeTitle: 'Delete the endpoint?',
    removeText:
      'Deliveries that wait for it are cancelled, and it receives nothing more. Its history stays. This cannot be undone.',
    removed: 'The endpoint is deleted',
    recent: 'Deliveries',
    allDeliveries: 'All deliveries of this endpoint'
  },
  de: {
    lead: 'Ein Endpunkt ist eine https-Adresse von Ihnen, an die Perennial schickt, was in diesem Shop geschieht, signiert mit einem eigenen Geheimnis.',
    register: 'Endpunkt anlegen',
    list: 'Endpunkte',
    none: 'Niemand erfährt, was hier geschieht',
    noneText:
      'Tragen Sie die Adresse eines Empfängers ein. Senden Sie ihm einen Test beliebiger Art, sehen Sie nach, was er geantwortet hat, und bessern Sie nach, bevor echte Ereignisse kommen.',
    columns: { url: 'Adresse', status: 'Zustand', events: 'Empfängt', description: 'Beschreibung' },
    everything: 'Jede Art',
    types: (count) => `${count} Arten`,
    editTitle: 'Endpunkt ändern',
    save: 'Endpunkt speichern',
    saved: 'Der Endpunkt ist gespeichert',
    url: 'Adresse',
    urlHelp:
      'https und aus dem Internet erreichbar. Sie soll innerhalb von 30 Sekunden mit einem Status 2xx antworten.',
    urlSandbox: 'Dies ist ein Sandbox-Shop: http://127.0.0.1 geht auch.',
    description: 'Beschreibung',
    descriptionHelp: 'Was Listen dazu sagen, etwa welches Programm dahinter steht',
    receives: 'Er empfängt',
    all: 'Jede Art, auch künftige',
    some: 'Nur diese',
    needType: 'Wählen Sie mindestens eine Art',
    changedMeanwhile:
      'Jemand anders hat diesen Endpunkt inzwischen geändert. Schließen Sie diesen Dialog, um den neuen Stand zu sehen, und ändern Sie ihn dann.',
    createdTitle: 'Der Endpunkt ist angelegt',
    rolledTitle: 'Der Endpunkt hat ein neues Geheimnis',
    secret: 'Signaturgeheimnis',
    secretText:
      'Damit prüft der Empfänger, dass eine Zustellung von hier ist. Die Signaturhilfe zeigt, ob Ihr Code dasselbe ausrechnet.',
    rolledText: (time) =>
      `Bis ${time} werden Zustellungen mit dem alten und dem neuen Geheimnis signiert. Geben Sie das neue allen Prozessen des Empfängers und beenden Sie dann den Übergang.`,
    rolledAtOnce: 'Von nun an signiert nur das neue Geheimnis.',
    toList: 'Alle Endpunkte',
    facts: 'Angaben',
    id: 'Endpunkt',
    state: 'Zustand',
    failingSince: 'Scheitert seit',
    failedDeliveries: (count) => `Zustellungen, deren Versuche seitdem ausgegangen sind: ${count}`,
    disabledAt: 'Ausgeschaltet seit',
    created: 'Angelegt',
    changed: 'Zuletzt geändert',
    overlap: 'Zwei Geheimnisse signieren bis',
    events: 'Empfängt',
    testSend: 'Test senden',
    testTitle: 'Test senden',
    testText:
      'Ein wirklichkeitsnahes Beispiel wird einmal gesendet, signiert wie alles andere und als Test markiert. Kunde und Bestellung darin gibt es nicht.',
    eventType: 'Art des Ereignisses',
    send: 'Senden',
    disable: 'Ausschalten',
    disableTitle: 'Den Endpunkt ausschalten?',
    disableText:
      'Wartende Zustellungen werden abgebrochen, und was inzwischen geschieht, wird für ihn nicht eingereiht. Beim Einschalten erfahren Sie, was er versäumt hat, und können es senden.',
    reason: 'Grund',
    reasonHelp: 'Für Listen; darf leer bleiben',
    disabled: 'Der Endpunkt ist ausgeschaltet',
    enable: 'Einschalten',
    enableTitle: 'Den Endpunkt einschalten?',
    enableText:
      'Er empfängt Ereignisse vom nächsten an. Was er versäumt hat, wird nicht von selbst gesendet; Sie erfahren, wie viel es ist.',
    enabled: 'Der Endpunkt ist eingeschaltet',
    missedTitle: 'Was er versäumt hat',
    missedNothing: 'Er hat nichts versäumt.',
    missedText: (events) =>
      `${events} Ereignisse seiner Arten sind geschehen, während er ausgeschaltet war, und nie für ihn eingereiht worden.`,
    undeliveredText: (time) => `Was seit ${time} gescheitert oder abgebrochen ist, wurde nicht noch einmal gesendet.`,
    sendMissed: 'Versäumtes senden',
    roll: 'Geheimnis erneuern',
    rollText:
      'Ein neues Geheimnis wird angelegt und einmal gezeigt. Während des Übergangs signieren beide, damit der Empfänger ohne Lücke wechseln kann.',
    rollAgain:
      'Ein Übergang läuft: Das neue Geheimnis wird ersetzt, das alte bleibt, und der Übergang beginnt von vorn.',
    rollOverlap: 'Das alte Geheimnis signiert mit',
    overlaps: {
      '0': 'Nicht mehr: sofort signiert nur das neue',
      '1': 'Noch eine Stunde',
      '24': 'Noch einen Tag',
      '72': 'Noch drei Tage',
      '168': 'Noch eine Woche'
    },
    rollLeaked:
      'Zustellungen scheitern, bis der Empfänger das neue Geheimnis hat. Wählen Sie das, wenn andere das alte gesehen haben.',
    endRoll: 'Übergang beenden',
    endRollTitle: 'Den Übergang jetzt beenden?',
    endRollText:
      'Von nun an signiert nur das neue Geheimnis, in X-Svc-Signature. Ein Prozess des Empfängers, der es noch nicht hat, lehnt jede Zustellung ab.',
    rollEnded: 'Jetzt signiert nur das neue Geheimnis',
    remove: 'Löschen',
    removeTitle: 'Den Endpunkt löschen?',
    removeText:
      'Wartende Zustellungen werden abgebrochen, und er empfängt nichts mehr. Sein Verlauf bleibt. Das lässt sich nicht rückgängig machen.',
    removed: 'Der Endpunkt ist gelöscht',
    recent: 'Zustellungen',
    allDeliveries: 'Alle Zustellungen dieses Endpunkts'
  }
})
