import { areaTexts } from '../../shared/texts/area-texts.ts'

export const useTeamTexts = areaTexts({
  en: {
    tabs: { people: 'People', changes: 'Changes' },
    text: 'Everybody who signs in to this interface, for all stores of this installation.',
    name: 'Name',
    email: 'E-mail address',
    role: 'Role',
    whatTheyMayDo: 'What they may do',
    secondFactor: 'Second factor',
    since: 'Since',
    status: 'Status',
    id: 'Id',
    you: 'you',
    locked: 'Locked for a while: too many wrong passwords',
    toList: 'Everybody',
    account: 'Account',
    access: 'Access',
    link: 'Link',
    worksUntil: 'It works once, until',
    mayDo: {
      owner: 'Everything, also people, settings, imports and privacy.',
      developer:
        'See everything but pictures of receipts and files of members. Change API keys with any scope, webhooks, tags, metafields, and the sandbox.',
      support:
        'See everything but exports of personal data, also the file of members. Help customers: subscriptions, credit, coupons, receipts, accepted offers.',
      read_only: 'See everything but pictures of receipts and files of members. Change nothing.'
    },
    invite: {
      label: 'Invite somebody',
      title: 'Invite somebody',
      confirm: 'Make the link',
      email: 'E-mail address',
      linkTitle: (email: string) => `The invitation for ${email}`,
      linkText: (email: string) =>
        `Send it to ${email} in a way that only they can read. Whoever opens it chooses a name and a password. A link that was made for this address before works no more.`
    },
    invitations: {
      title: 'Links that were not used yet',
      newPassword: 'New password',
      by: 'Made by',
      until: 'Works until',
      action: 'Action',
      withdraw: 'Withdraw',
      withdrawTitle: (email: string) => `Withdraw the link for ${email}?`,
      withdrawText: 'It works no more. A new one can be made at any time.',
      withdrawn: 'The link works no more'
    },
    passwordLink: {
      label: 'Make a link for a new password',
      help: 'For somebody who has forgotten the password, or is locked out.',
      title: 'Make a link for a new password?',
      text: 'The present password works until then. The new one ends all sessions and the lock. Make sure that it is them who ask.',
      done: 'The link is made',
      linkTitle: 'The link for a new password',
      linkText: (email: string) => `Send it to ${email} in a way that only they can read.`
    },
    endSessions: {
      label: 'End all sessions',
      help: 'For a device that was lost, or somebody who leaves.',
      title: 'End all sessions?',
      text: 'They are signed out everywhere, at once. What they typed and did not save is lost only if they do not sign in again.',
      done: 'The sessions are ended'
    },
    removeSecondFactor: {
      label: 'Remove the second factor',
      help: 'For somebody who has lost the app and the backup codes.',
      title: 'Remove the second factor?',
      text: 'From then on the password alone is enough. Make sure that it is them who ask.',
      done: 'The second factor is removed'
    },
    remove: {
      label: 'Remove the account',
      help: 'Ends its sessions. What the person changed stays in the list of changes.',
      title: (name: string) => `Remove ${name}?`,
      text: 'The account and its sessions end at once. The same address can be invited again.',
      done: 'The account is removed'
    },
    changes: {
      text: 'What people and programs changed by this interface, the command line and the admin API and how it was answered. Values are not kept: they may be secrets.',
      filters: 'Filters',
      clear: 'Clear filters',
      store: 'Store',
      list: 'Changes',
      none: 'Nothing was changed yet',
      noneText: 'Each change that somebody asks for appears here with who, when, what and from where.',
      when: 'When',
      who: 'Who',
      what: 'What',
      answer: 'Answer',
      where: 'From',
      request: 'Request',
      token: 'Operator token',
      noAnswer: 'None',
      done: 'done',
      refused: 'refused'
    }
  },
  de: {
    tabs: { people: 'Personen', changes: 'Änderungen' },
    text: 'Alle, die sich hier anmelden, für alle Shops dieser Installation.',
    name: 'Name',
    email: 'E-Mail-Adresse',
    role: 'Rolle',
    whatTheyMayDo: 'Was die Person darf',
    secondFactor: 'Zweiter Faktor',
    since: 'Seit',
    status: 'Status',
    id: 'Id',
    you: 'Sie',
    locked: 'Eine Weile gesperrt: zu viele falsche Passwörter',
    toList: 'Alle',
    account: 'Konto',
    access: 'Zugang',
    link: 'Link',
    worksUntil: 'Er gilt einmal, bis',
    mayDo: {
      owner: 'Alles, auch Personen, Einstellungen, Importe und Datenschutz.',
      developer:
        'Alles sehen außer Bildern von Belegen und Dateien von Mitgliedern. API-Schlüssel mit jedem Recht, Webhooks, Tags, Metafelder und die Sandbox ändern.',
      support:
        'Alles sehen außer Auszügen persönlicher Daten, auch die Datei der Mitglieder. Kunden helfen: Abonnements, Guthaben, Gutscheine, Belege, angenommene Angebote.',
      read_only: 'Alles sehen außer Bildern von Belegen und Dateien von Mitgliedern. Nichts ändern.'
    },
    invite: {
      label: 'Jemanden einladen',
      title: 'Jemanden einladen',
      confirm: 'Link erstellen',
      email: 'E-Mail-Adresse',
      linkTitle: (email) => `Die Einladung für ${email}`,
      linkText: (email) =>
        `Senden Sie ihn so an ${email}, dass nur diese Person ihn lesen kann. Wer ihn öffnet, wählt Namen und Passwort. Ein früherer Link für diese Adresse gilt nicht mehr.`
    },
    invitations: {
      title: 'Links, die noch nicht benutzt wurden',
      newPassword: 'Neues Passwort',
      by: 'Erstellt von',
      until: 'Gilt bis',
      action: 'Aktion',
      withdraw: 'Zurückziehen',
      withdrawTitle: (email) => `Den Link für ${email} zurückziehen?`,
      withdrawText: 'Er gilt nicht mehr. Ein neuer kann jederzeit erstellt werden.',
      withdrawn: 'Der Link gilt nicht mehr'
    },
    passwordLink: {
      label: 'Link für ein neues Passwort erstellen',
      help: 'Für jemanden, der das Passwort vergessen hat oder gesperrt ist.',
      title: 'Einen Link für ein neues Passwort erstellen?',
      text: 'Das jetzige Passwort gilt bis dahin. Das neue beendet alle Sitzungen und die Sperre. Vergewissern Sie sich, wer darum bittet.',
      done: 'Der Link ist erstellt',
      linkTitle: 'Der Link für ein neues Passwort',
      linkText: (email) => `Senden Sie ihn so an ${email}, dass nur diese Person ihn lesen kann.`
    },
    endSessions: {
      label: 'Alle Sitzungen beenden',
      help: 'Für ein verlorenes Gerät oder jemanden, der geht.',
      title: 'Alle Sitzungen beenden?',
      text: 'Die Person wird überall sofort abgemeldet. Nicht Gespeichertes ist nur verloren, wenn sie sich nicht wieder anmeldet.',
      done: 'Die Sitzungen sind beendet'
    },
    removeSecondFactor: {
      label: 'Zweiten Faktor entfernen',
      help: 'Für jemanden, der die App und die Ersatzcodes verloren hat.',
      title: 'Den zweiten Faktor entfernen?',
      text: 'Von da an genügt das Passwort. Vergewissern Sie sich, wer darum bittet.',
      done: 'Der zweite Faktor ist entfernt'
    },
    remove: {
      label: 'Konto entfernen',
      help: 'Beendet seine Sitzungen. Was die Person geändert hat, bleibt in der Liste der Änderungen.',
      title: (name) => `${name} entfernen?`,
      text: 'Das Konto und seine Sitzungen enden sofort. Dieselbe Adresse kann wieder eingeladen werden.',
      done: 'Das Konto ist entfernt'
    },
    changes: {
      text: 'Was Personen und Programme hier, mit der Kommandozeile und der Admin-API geändert haben und wie es beantwortet wurde. Werte werden nicht aufbewahrt: sie könnten geheim sein.',
      filters: 'Filter',
      clear: 'Filter löschen',
      store: 'Shop',
      list: 'Änderungen',
      none: 'Noch wurde nichts geändert',
      noneText: 'Jede Änderung steht hier mit wer, wann, was und von wo.',
      when: 'Wann',
      who: 'Wer',
      what: 'Was',
      answer: 'Antwort',
      where: 'Von',
      request: 'Anfrage',
      token: 'Betreiber-Token',
      noAnswer: 'Keine',
      done: 'erledigt',
      refused: 'abgelehnt'
    }
  }
})
