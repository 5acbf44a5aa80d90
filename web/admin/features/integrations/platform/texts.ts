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
      'The platform has removed the app, or somebody has disconnected the store. Install the app again, or connect the store by the command line; until then nothing is charged or read.',
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
      'Die Plattform hat die App entfernt, oder jemand hat den Shop getrennt. Installieren Sie die App noch einmal oder verbinden Sie den Shop über die Befehlszeile; bis dahin wird nichts abgebucht und nichts gelesen.',
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
