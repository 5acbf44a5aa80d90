import type { WALLET_EN } from './texts-en.ts'

export const WALLET_DE: typeof WALLET_EN = {
  passes: {
    title: 'Karten in Telefonen',
    switch: 'Mitglieder können eine Karte bekommen',
    toSwitch: 'Einstellungen des Shops',
    given: 'Ausgegebene Karten',
    devices: 'Telefone, die Apple benachrichtigt',
    offered: 'Erzeugte Links zu Google Wallet',
    problems: 'Karten, deren letzte Änderung nicht alle Telefone erreicht hat',
    refresh: {
      label: 'Alle auf den neuen Stand bringen',
      title: 'Alle Karten auf den neuen Stand bringen?',
      text: 'Jede Karte wird mit dem verglichen, was sie zeigen soll, und die Telefone derer, die abweichen, werden im Hintergrund benachrichtigt. Das ist für einen neuen Namen oder eine neue Farbe: was sich sonst ändert, kommt von selbst in die Telefone.',
      done: 'Die Karten werden im Hintergrund auf den neuen Stand gebracht'
    }
  },
  file: {
    keep: 'Prüfen und behalten',
    needed: 'muss eine Datei sein',
    tooLarge: 'muss eine Datei von höchstens 50 kB sein'
  },
  wallets: {
    apple: {
      title: 'Apple Wallet',
      none: 'Nicht eingerichtet: es gibt keine Karten für Apple Wallet.',
      set: 'Apple Wallet einrichten',
      replace: 'Zertifikat ersetzen',
      setTitle: 'Was Karten für Apple Wallet unterschreibt',
      done: 'Apple Wallet ist eingerichtet',
      remove: {
        label: 'Apple Wallet entfernen',
        title: 'Entfernen, was Karten für Apple Wallet unterschreibt?',
        text: 'Es wird keine Karte für Apple Wallet mehr ausgegeben oder aktualisiert. Karten in Telefonen bleiben, wie sie sind. Der Schlüssel wird hier gelöscht: um sie wieder einzurichten, brauchen Sie seine Datei.',
        done: 'Apple Wallet ist entfernt'
      }
    },
    google: {
      title: 'Google Wallet',
      none: 'Nicht eingerichtet: es gibt keine Karten für Google Wallet.',
      set: 'Google Wallet einrichten',
      replace: 'Schlüssel ersetzen',
      setTitle: 'Was Karten für Google Wallet unterschreibt',
      done: 'Google Wallet ist eingerichtet',
      remove: {
        label: 'Google Wallet entfernen',
        title: 'Entfernen, was Karten für Google Wallet unterschreibt?',
        text: 'Es wird keine Karte für Google Wallet mehr ausgegeben oder aktualisiert. Löschungen von Kunden erreichen deren Karten bei Google nicht mehr: führen Sie offene zuerst aus. Der Schlüssel wird hier gelöscht: um sie wieder einzurichten, brauchen Sie seine Datei.',
        done: 'Google Wallet ist entfernt'
      }
    }
  },
  apple: {
    text: 'Alles wird geprüft, bevor es behalten wird: der Schlüssel gehört zum Zertifikat, das gültig ist und von Apples Zertifikat ausgestellt wurde. Es wird verschlüsselt behalten und nie wieder gezeigt.',
    samePassType: (passType) =>
      `Wählen Sie ein Zertifikat derselben Kartenart, ${passType}: durch ein anderes werden Karten in Telefonen nicht aktualisiert.`,
    files: {
      certificate: { label: 'Zertifikat der Kartenart', help: 'Als PEM, aus dem Entwicklerkonto bei Apple.' },
      key: { label: 'Sein privater Schlüssel', help: 'Als PEM.' },
      wwdr: { label: 'Apples Zertifikat, das es ausgestellt hat (WWDR)', help: 'Das Zwischenzertifikat, als PEM.' }
    },
    passphrase: 'Passwort des Schlüssels',
    passphraseHelp: 'Nur bei einem verschlüsselten Schlüssel. Es wird nicht behalten.',
    passType: 'Kartenart (Pass Type ID)',
    team: 'Team',
    ofCertificate: 'Leer: wie im Zertifikat.',
    expires: 'Das Zertifikat endet',
    updated: 'Eingerichtet',
    endsSoon:
      'Das Zertifikat endet bald. Danach nehmen Telefone weder neue Karten noch Änderungen an: ersetzen Sie es vorher.',
    hasEnded: 'Das Zertifikat ist abgelaufen. Telefone nehmen weder neue Karten noch Änderungen an: ersetzen Sie es.'
  },
  google: {
    text: 'Das Dienstkonto muss in der Google Wallet Console ein Nutzer des Ausstellers sein, der dessen Karten schreiben darf. Sein Schlüssel wird verschlüsselt behalten und nie wieder gezeigt.',
    issuer: 'Aussteller',
    issuerHelp: 'Seine Nummer in der Google Wallet Console.',
    account: 'Dienstkonto',
    key: 'Schlüssel des Dienstkontos',
    keyHelp: 'Die JSON-Datei von Google Cloud.',
    updated: 'Eingerichtet'
  },
  sales: {
    title: 'Aktionen',
    text: 'Eine Aktion steht auf allen Karten, solange sie läuft; von mehreren die, die zuletzt begonnen hat. Telefone folgen, wenn sie beginnt und endet. Themes haben alle in einem Metafeld.',
    none: 'Es gibt keine Aktion.',
    add: 'Aktion hinzufügen',
    added: 'Die Aktion ist hinzugefügt',
    saved: 'Die Aktion ist gespeichert',
    sale: 'Aktion',
    status: 'Status',
    statuses: { active: 'Läuft', waiting: 'Nicht in ihrer Zeit', off: 'Aus' },
    name: 'Titel',
    says: 'Was auf der Karte steht',
    saysHelp: 'Höchstens 1000 Zeichen.',
    image: 'Bild',
    imageHelp: 'Sein Pfad, für den Shop. Karten zeigen es nicht.',
    starts: 'Beginnt',
    ends: 'Endet',
    atOnce: 'Sofort',
    never: 'Nie',
    startsHelp: (zone) => `In der Zeitzone ${zone}. Leer: sofort.`,
    endsHelp: (zone) => `In der Zeitzone ${zone}. Leer: nie.`,
    enabled: 'Sie findet statt',
    enabledHelp: 'Aus: sie steht nirgends, wann immer sie wäre.',
    remove: {
      label: 'Entfernen',
      title: (name) => `${name} entfernen?`,
      text: 'Karten zeigen sie nicht mehr, und sie wird nicht behalten.',
      done: 'Die Aktion ist entfernt'
    }
  }
}
