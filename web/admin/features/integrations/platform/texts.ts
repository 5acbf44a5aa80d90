import { areaTexts } from '../../../shared/texts/area-texts.ts'

export const usePlatformTexts = areaTexts({
  en: {
    lead: 'How this store is connected to its shop on the platform: what Perennial may do there, what the platform tells it, and how the storefront reaches it.',
    connection: 'Connection',
    shop: 'Shop',
    state: 'State',
    states: { active: 'Connected', disconnected: 'Disconnected', deleting: 'Being deleted' } as Record<string, string>,
    token: 'Access token',
    tokenForever: 'Does not expire',
    tokenUntil: 'Valid until',
    tokenRenewed: 'It is renewed before that by itself, at the latest until',
    tokenRefused: 'The platform has refused it since',
    refreshError: 'The last renewal failed',
    disconnectedText:
      'The platform has removed the app, or somebody has disconnected the store. Install the app again, or connect the store below; until then nothing is charged or read.',
    changes: 'Connect, disconnect, delete',
    changesText:
      'Where the app is installed by the platform, opening it in the shop’s admin connects the store, and nothing has to be entered here.',
    connect: {
      label: 'Connect with other credentials',
      title: 'Connect with other credentials',
      text: 'They are tried first: when the platform refuses them, nothing changes. The access token is needed; other fields that are left empty stay as they are.',
      confirm: 'Connect',
      done: 'Connected. What changed on the platform meanwhile is read next.'
    },
    accessToken: 'Access token of the Admin API',
    appSecret: 'Secret of the app',
    proxySecret: 'Secret of the app proxy',
    platformUrl: 'Address of the platform',
    connectSandbox: {
      label: 'Connect again',
      title: 'Connect this sandbox store again?',
      text: 'The app is installed again in its shop on the sandbox, and what changed there meanwhile is read.',
      done: 'Connected'
    },
    disconnect: {
      label: 'Disconnect',
      title: 'Disconnect this store?',
      text: 'Nothing is charged, read or written on its platform any more, the access token is erased, and API keys are refused until it is connected again. All data stays.',
      done: 'Disconnected'
    },
    deleteStore: {
      label: 'Delete the store',
      title: (name: string) => `Delete ${name}?`,
      text: 'Everything that belongs to it is deleted for good: members, subscriptions, credit, points, webhooks, keys and settings. Contracts on a live platform stay there, and nobody charges them any more. Nothing brings the store back but a backup.',
      name: (name: string) => `Enter its name to confirm: ${name}`,
      done: 'The store is deleted',
      underWay: 'The store is being deleted. That takes a while and goes on by itself.'
    },
    check: 'Check now',
    checkHelp:
      'Registers the platform’s webhooks where they are missing, reads scopes and shop, and processes failed messages again. This also happens every hour.',
    checked: (changed: string, retried: string) =>
      `Checked. Corrected: ${changed}. Messages processed again: ${retried}.`,
    proxy: 'App proxy',
    proxyText:
      'Pages of the shop’s theme reach Perennial under the shop’s own domain. The platform signs each of these requests and passes it on; Perennial refuses what is not signed.',
    proxyFrom: 'In the shop',
    proxyTo: 'Passed on to',
    proxyUsed: 'Last signed request',
    proxyNeverUsed: 'None yet: the app proxy may not be set up in the app’s settings on the platform',
    proxyTry: 'Open the list of loyalty rules through the proxy',
    proxyTryText:
      'What answers is Perennial. A page of the shop that says “not found” instead means that the app proxy is not set up.',
    scopes: 'Access scopes',
    scopesAsked:
      'What the shop has allowed the app. For missing ones open the app in the shop’s admin, which asks for them.',
    missing: (count: string) => `Missing: ${count}`,
    complete: 'All scopes that the app needs are granted.',
    notAsked: 'The platform was not asked yet. “Check now” asks it.',
    scopeColumns: { scope: 'Scope', granted: 'Granted', neededFor: 'Needed for', without: 'Without it' },
    grants: {
      granted: 'Granted',
      missing: 'Missing',
      optional: 'Not granted, optional',
      unknown: 'Not known yet'
    } as Record<string, string>,
    webhooks: 'Webhooks of the platform',
    webhooksText: 'What the platform tells Perennial about this shop, as it answers right now.',
    webhookColumns: { topic: 'Topic', state: 'State', uri: 'Sent to' },
    webhookOk: 'As it should be',
    noWebhooks: 'The platform sends nothing. “Check now” registers its webhooks.',
    discounts: 'Discounts of members at the checkout',
    enforcedBy: {
      off: 'Off: Perennial keeps no discount on the platform, so members pay full prices at its checkout.',
      native: 'By the platform’s own automatic discounts, for customers with the tag of an active membership.',
      function: 'By automatic discounts that run the app’s discount function.'
    } as Record<string, string>,
    functionHandle: 'Discount function',
    slots: {
      prices: 'Member prices (function)',
      shipping: 'Free shipping (function)',
      vip_prices: 'Prices of VIP members',
      elite_prices: 'Prices of Elite members',
      vip_shipping: 'Free shipping of VIP members',
      elite_shipping: 'Free shipping of Elite members'
    } as Record<string, string>,
    discountColumns: { discount: 'Discount', state: 'State', id: 'Platform number', problem: 'Problem' },
    discountStates: { active: 'Active', inactive: 'Not active' } as Record<string, string>,
    noDiscounts: 'No discount was made on the platform.',
    notEnforced: 'What members do not get',
    comparedAt: 'Last compared with the platform',
    nextComparison: 'Next',
    lastError: 'The last comparison failed',
    sync: 'Compare and correct now',
    synced: 'The discounts are being compared and corrected'
  },
  de: {
    lead: 'Wie dieser Shop mit der Plattform verbunden ist: was Perennial dort darf, was die Plattform ihm mitteilt und wie die Seiten des Shops es erreichen.',
    connection: 'Verbindung',
    shop: 'Shop',
    state: 'Zustand',
    states: { active: 'Verbunden', disconnected: 'Getrennt', deleting: 'Wird gelöscht' },
    token: 'Zugangstoken',
    tokenForever: 'Läuft nicht ab',
    tokenUntil: 'Gültig bis',
    tokenRenewed: 'Es wird vorher von selbst erneuert, spätestens bis',
    tokenRefused: 'Die Plattform lehnt es ab seit',
    refreshError: 'Die letzte Erneuerung ist gescheitert',
    disconnectedText:
      'Die Plattform hat die App entfernt, oder jemand hat den Shop getrennt. Installieren Sie die App noch einmal oder verbinden Sie den Shop hier unten; bis dahin wird nichts abgebucht und nichts gelesen.',
    changes: 'Verbinden, trennen, löschen',
    changesText:
      'Wo die Plattform die App installiert, verbindet das Öffnen der App im Admin des Shops den Shop, und hier ist nichts einzugeben.',
    connect: {
      label: 'Mit anderen Zugangsdaten verbinden',
      title: 'Mit anderen Zugangsdaten verbinden',
      text: 'Sie werden zuerst versucht: Lehnt die Plattform sie ab, ändert sich nichts. Das Zugangstoken ist nötig; andere leere Felder bleiben, wie sie sind.',
      confirm: 'Verbinden',
      done: 'Verbunden. Was sich auf der Plattform inzwischen geändert hat, wird als Nächstes gelesen.'
    },
    accessToken: 'Zugangstoken der Admin-API',
    appSecret: 'Geheimnis der App',
    proxySecret: 'Geheimnis des App-Proxys',
    platformUrl: 'Adresse der Plattform',
    connectSandbox: {
      label: 'Wieder verbinden',
      title: 'Diesen Sandbox-Shop wieder verbinden?',
      text: 'Die App wird in seinem Shop auf der Sandbox wieder installiert, und was sich dort geändert hat, wird gelesen.',
      done: 'Verbunden'
    },
    disconnect: {
      label: 'Trennen',
      title: 'Diesen Shop trennen?',
      text: 'Auf seiner Plattform wird nichts mehr abgebucht, gelesen oder geschrieben, das Zugangstoken wird gelöscht, und API-Schlüssel werden abgelehnt, bis er wieder verbunden ist. Alle Daten bleiben.',
      done: 'Getrennt'
    },
    deleteStore: {
      label: 'Shop löschen',
      title: (name) => `${name} löschen?`,
      text: 'Alles, was dazugehört, wird endgültig gelöscht: Mitglieder, Abonnements, Guthaben, Punkte, Webhooks, Schlüssel und Einstellungen. Verträge auf einer echten Plattform bleiben dort, und niemand bucht sie mehr ab. Nur eine Sicherung bringt den Shop zurück.',
      name: (name) => `Zur Bestätigung den Namen eingeben: ${name}`,
      done: 'Der Shop ist gelöscht',
      underWay: 'Der Shop wird gelöscht. Das dauert eine Weile und geht von selbst weiter.'
    },
    check: 'Jetzt prüfen',
    checkHelp:
      'Meldet fehlende Webhooks der Plattform an, liest Berechtigungen und Shop und verarbeitet gescheiterte Nachrichten noch einmal. Das geschieht auch jede Stunde.',
    checked: (changed, retried) => `Geprüft. Berichtigt: ${changed}. Noch einmal verarbeitete Nachrichten: ${retried}.`,
    proxy: 'App-Proxy',
    proxyText:
      'Die Seiten des Shops erreichen Perennial unter der eigenen Domain des Shops. Die Plattform unterschreibt jede dieser Anfragen und gibt sie weiter; was nicht unterschrieben ist, lehnt Perennial ab.',
    proxyFrom: 'Im Shop',
    proxyTo: 'Weitergegeben an',
    proxyUsed: 'Letzte signierte Anfrage',
    proxyNeverUsed:
      'Noch keine: vielleicht ist der App-Proxy in den Einstellungen der App auf der Plattform nicht eingerichtet',
    proxyTry: 'Die Liste der Treueregeln über den Proxy öffnen',
    proxyTryText:
      'Was antwortet, ist Perennial. Sagt stattdessen eine Seite des Shops „nicht gefunden“, ist der App-Proxy nicht eingerichtet.',
    scopes: 'Berechtigungen der App',
    scopesAsked:
      'Was der Shop der App erlaubt hat. Fehlt etwas, öffnen Sie die App im Admin des Shops; sie fragt danach.',
    missing: (count) => `Es fehlen: ${count}`,
    complete: 'Alle Berechtigungen, die die App braucht, sind erteilt.',
    notAsked: 'Die Plattform ist noch nicht gefragt worden. „Jetzt prüfen“ fragt sie.',
    scopeColumns: { scope: 'Berechtigung', granted: 'Erteilt', neededFor: 'Gebraucht für', without: 'Ohne sie' },
    grants: {
      granted: 'Erteilt',
      missing: 'Fehlt',
      optional: 'Nicht erteilt, entbehrlich',
      unknown: 'Noch nicht bekannt'
    },
    webhooks: 'Webhooks der Plattform',
    webhooksText: 'Was die Plattform Perennial über diesen Shop mitteilt, wie sie es jetzt gerade beantwortet.',
    webhookColumns: { topic: 'Thema', state: 'Zustand', uri: 'Gesendet an' },
    webhookOk: 'In Ordnung',
    noWebhooks: 'Die Plattform sendet nichts. „Jetzt prüfen“ meldet ihre Webhooks an.',
    discounts: 'Rabatte der Mitglieder an der Kasse',
    enforcedBy: {
      off: 'Aus: Perennial hält auf der Plattform keinen Rabatt, Mitglieder zahlen an ihrer Kasse volle Preise.',
      native: 'Durch automatische Rabatte der Plattform, für Kunden mit dem Tag einer aktiven Mitgliedschaft.',
      function: 'Durch automatische Rabatte, die die Rabattfunktion der App ausführen.'
    },
    functionHandle: 'Rabattfunktion',
    slots: {
      prices: 'Mitgliederpreise (Funktion)',
      shipping: 'Kostenloser Versand (Funktion)',
      vip_prices: 'Preise der VIP-Mitglieder',
      elite_prices: 'Preise der Elite-Mitglieder',
      vip_shipping: 'Kostenloser Versand der VIP-Mitglieder',
      elite_shipping: 'Kostenloser Versand der Elite-Mitglieder'
    },
    discountColumns: { discount: 'Rabatt', state: 'Zustand', id: 'Plattform-Nummer', problem: 'Problem' },
    discountStates: { active: 'Aktiv', inactive: 'Nicht aktiv' },
    noDiscounts: 'Auf der Plattform ist kein Rabatt angelegt.',
    notEnforced: 'Was Mitglieder nicht bekommen',
    comparedAt: 'Zuletzt mit der Plattform verglichen',
    nextComparison: 'Nächstes Mal',
    lastError: 'Der letzte Vergleich ist gescheitert',
    sync: 'Jetzt vergleichen und berichtigen',
    synced: 'Die Rabatte werden verglichen und berichtigt'
  }
})
