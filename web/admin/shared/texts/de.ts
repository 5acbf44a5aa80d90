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
    newVersion: 'Der Dienst ist aktualisiert worden. Laden Sie die Seite neu.',
    fields: {
      sentences: [
        [
          /^must be a text of ([0-9]+) to ([0-9]+) characters that is not blank$/,
          (from, to) => `Hier muss ein Text von ${from} bis ${to} Zeichen stehen.`
        ],
        [
          /^must be a text of ([0-9]+) to ([0-9]+) characters$/,
          (from, to) => `Hier muss ein Text von ${from} bis ${to} Zeichen stehen.`
        ],
        [/^must be a text of at most ([0-9]+) characters$/, (most) => `Hier sind höchstens ${most} Zeichen erlaubt.`],
        [/^must be an e-mail address$/, () => 'Hier muss eine E-Mail-Adresse stehen.'],
        [
          /^must be an integer from (-?[0-9]+) to ([0-9]+)$/,
          (from, to) => `Hier muss eine ganze Zahl von ${from} bis ${to} stehen.`
        ],
        [/^must be a percentage above 0 and up to 100$/, () => 'Hier muss ein Prozentsatz über 0 und bis 100 stehen.']
      ]
    },
    signIn: {
      invalid_email_or_password: 'Die E-Mail-Adresse oder das Passwort ist falsch.',
      invalid_password: 'Das Passwort ist falsch.',
      password_too_short: 'Das Passwort muss mindestens 12 Zeichen haben.',
      password_too_long: 'Das Passwort darf höchstens 128 Zeichen haben.',
      invalid_code: 'Der Code ist falsch oder abgelaufen. Geben Sie den ein, den die App jetzt zeigt.',
      invalid_backup_code: 'Der Ersatzcode ist falsch oder schon verbraucht.',
      invalid_two_factor_cookie: 'Seit dem Passwort ist zu viel Zeit vergangen. Melden Sie sich von vorn an.',
      too_many_attempts_request_new_code: 'Zu viele falsche Codes. Melden Sie sich von vorn an.',
      account_temporarily_locked: 'Zu viele falsche Codes. Versuchen Sie es später noch einmal.',
      session_not_fresh:
        'Dafür müssen Sie sich in den letzten 24 Stunden angemeldet haben: Melden Sie sich ab und wieder an und versuchen Sie es noch einmal.',
      session_expired: 'Ihre Sitzung ist abgelaufen. Melden Sie sich wieder an.',
      too_many_passwords:
        'Zu viele falsche Passwörter: Eine Viertelstunde lang wird kein Passwort dieses Kontos angenommen. Ein Passkey geht weiterhin; ein Inhaber kann einen Link für ein neues Passwort erzeugen.',
      too_many_guesses:
        'Zu viele falsche Passwörter, Codes oder Links von hier. Versuchen Sie es in einer Minute noch einmal.',
      challenge_not_found: 'Der Browser hat mit dem Passkey zu lange gebraucht. Versuchen Sie es noch einmal.',
      passkey_not_found: 'Dieser Passkey ist hier nicht bekannt.',
      previously_registered: 'Dieses Gerät hat schon einen Passkey dieses Kontos.',
      authentication_failed: 'Der Passkey wurde nicht angenommen.',
      failed_to_verify_registration: 'Der Passkey wurde nicht angenommen.'
    }
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
