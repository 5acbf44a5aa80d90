import type { Texts } from './en.ts'

export const de: Texts = {
  app: {
    name: 'Perennial',
    skipToContent: 'Zum Inhalt springen',
    navigation: 'Hauptnavigation',
    openNavigation: 'Navigation öffnen',
    closeNavigation: 'Navigation schließen',
    loading: 'Wird geladen',
    restarting: 'Der Dienst startet neu. Diese Seite geht von selbst weiter.',
    account: 'Konto',
    yourAccount: 'Ihr Konto',
    signOut: 'Abmelden',
    language: 'Sprache',
    colorScheme: 'Darstellung',
    colorSchemes: { light: 'Hell', dark: 'Dunkel', auto: 'Wie das System' },
    store: 'Shop',
    noStoreFound: 'Kein Shop gefunden',
    sandbox: 'Sandbox',
    sandboxHelp: 'Keine echten Kunden und kein echtes Geld',
    sandboxClock: (time) => `Uhr: ${time}`,
    documentTitle: (page, store) => [page, store, 'Perennial'].filter(Boolean).join(' · ')
  },
  roles: {
    owner: 'Inhaber',
    developer: 'Entwicklung',
    support: 'Support',
    read_only: 'Nur Lesen',
    staff: 'Mitarbeiter des Shops'
  },
  pages: {
    overview: 'Übersicht',
    members: 'Mitglieder',
    subscriptions: 'Abonnements',
    billing: 'Abbuchungen',
    orders: 'Bestellungen',
    integrations: 'Integrationen',
    webhooks: 'Webhooks',
    workbench: 'Werkbank',
    plans: 'Pläne',
    retention: 'Kundenbindung',
    loyalty: 'Treueprogramm',
    credit: 'Guthaben',
    imports: 'Importe',
    privacy: 'Datenschutz',
    settings: 'Einstellungen',
    team: 'Team',
    sandbox: 'Sandbox'
  },
  common: {
    tryAgain: 'Noch einmal versuchen',
    reload: 'Seite neu laden',
    none: 'Keine',
    showPassword: 'Passwort anzeigen',
    cancel: 'Abbrechen',
    close: 'Schließen',
    save: 'Speichern',
    saved: 'Gespeichert',
    actions: 'Aktionen',
    edit: 'Bearbeiten',
    copy: 'Kopieren',
    copied: 'Kopiert',
    chooseFile: 'Datei wählen',
    noFile: 'Keine Datei wählen',
    newest: 'Zum Neuesten',
    older: 'Ältere',
    any: 'Alle',
    yes: 'Ja',
    no: 'Nein'
  },
  once: {
    title: 'Nur jetzt zu sehen',
    text: 'Bewahren Sie es bei Ihren anderen Geheimnissen auf. Hier kann es niemand mehr lesen.',
    stored: 'Ich habe es gespeichert'
  },
  lists: {
    plan: 'Plan',
    range: (from, to, total) => `${from} bis ${to} von ${total}`,
    previousPage: 'Vorige Seite',
    nextPage: 'Nächste Seite',
    firstPage: 'Erste Seite',
    lastPage: 'Letzte Seite'
  },
  errors: {
    title: 'Etwas ist schiefgegangen',
    text: 'Dieser Teil der Seite kann nicht angezeigt werden. Versuchen Sie es noch einmal; wenn es so bleibt, wenden Sie sich an den Betrieb des Dienstes.',
    refusedTitle: 'Das geht jetzt nicht',
    requestId: (id) => `Anfrage ${id}`,
    unreachable: 'Der Dienst antwortet nicht. Versuchen Sie es gleich noch einmal.',
    notFoundTitle: 'Diese Seite gibt es nicht',
    notFoundText: 'Die Adresse ist vielleicht veraltet oder falsch geschrieben.',
    toStart: 'Zur Übersicht',
    storeNotFoundTitle: 'Diesen Shop gibt es nicht',
    storeNotFoundText: 'Er ist vielleicht gelöscht worden. Wählen Sie oben einen anderen.',
    changedMeanwhile:
      'Jemand anderes hat dies geändert, seit Sie es geöffnet haben. Ihre Eingaben sind noch da: Speichern Sie noch einmal, um die andere Änderung zu ersetzen, oder brechen Sie ab und sehen Sie sie zuerst an.',
    newVersion: 'Der Dienst ist aktualisiert worden. Laden Sie die Seite neu.'
  },
  noStores: {
    title: 'Noch ist kein Shop verbunden',
    text: 'Öffnen Sie Perennial im Admin Ihres Shops, um ihn zu verbinden, oder legen Sie einen Shop über die Befehlszeile an:'
  },
  signIn: {
    title: 'Anmelden',
    again: 'Ihre Sitzung ist abgelaufen. Melden Sie sich an, um weiterzumachen; Ihre Eingaben bleiben erhalten.',
    email: 'E-Mail-Adresse',
    password: 'Passwort',
    submit: 'Anmelden',
    withPasskey: 'Mit Passkey anmelden',
    passkeyFailed:
      'Der Passkey ist nicht angenommen worden. Versuchen Sie es noch einmal oder melden Sie sich mit dem Passwort an.',
    secondFactor: 'Geben Sie die sechs Ziffern ein, die Ihre Authenticator-App anzeigt.',
    code: 'Code',
    backupCode: 'Ersatzcode',
    useBackupCode: 'Stattdessen einen Ersatzcode verwenden',
    useApp: 'Stattdessen die Authenticator-App verwenden',
    verify: 'Weiter',
    back: 'Zurück'
  },
  attemptStatuses: { pending: 'Offen', success: 'Bezahlt', failed: 'Gescheitert' },
  subscriptionStatuses: {
    active: 'Aktiv',
    paused: 'Pausiert',
    cancelled: 'Gekündigt',
    failed: 'Gescheitert',
    expired: 'Abgelaufen'
  }
}
