import { areaTexts } from '../../shared/texts/area-texts.ts'
import type { FieldTexts } from './fields/fields.ts'
import { FORMS_DE, SETTINGS_DE } from './parts/texts-de.ts'
import { FORMS_EN, SETTINGS_EN } from './parts/texts-en.ts'

export const useSettingsTexts = areaTexts({
  en: {
    forms: FORMS_EN as Record<string, { title: string; text: string }>,
    settings: SETTINGS_EN as FieldTexts,
    tabs: {
      billing: 'Billing',
      customers: 'Customers',
      plans: 'Plans and checkout',
      loyalty: 'Loyalty',
      wallet: 'Wallet',
      storefront: 'Storefront',
      platform: 'On the platform'
    },
    discard: 'Discard changes',
    oldestPlan: 'The oldest enabled plan',
    mainPlans: { vip: 'VIP now', elite: 'Elite now', none: 'None' },
    ladder: {
      title: 'What follows a declined charge',
      first: 'Declined',
      nth: (nth: string) => `Try ${nth}`,
      day: (day: string) => `Day ${day}`,
      after: (day: string) => `Day ${day}, if that fails too`
    },
    storefrontText:
      'Themes, widgets and functions read these in metafields of the shop. A change is on the platform within seconds. Below each form is what the platform has now.',
    json: {
      label: 'Edit as JSON',
      title: (key: string) => `Edit svc.${key}`,
      value: 'Value',
      help: 'Fields that you leave out stay as they are. null is the initial value again.',
      notAnObject: 'must be a JSON object, such as {"enabled": true}'
    },
    raw: {
      show: 'Show the raw value',
      hide: 'Hide the raw value',
      found: 'On the platform',
      wanted: 'As it is to be',
      notThere: '(not there)',
      inStep: 'As it is to be',
      notNeeded: 'Not needed',
      waiting: 'Is being written',
      differs: 'Differs',
      differsText: 'Somebody else has changed it on the platform. The service corrects it once a day, or at once here.'
    },
    syncAll: 'Compare and correct all',
    sync: {
      label: 'Write again',
      confirmLabel: 'Write again',
      title: 'Write the metafields again?',
      text: 'The metafields of the shop and of all customers are compared with the platform now. What somebody else has changed there is replaced, and an alert keeps the value that was there. In a large store this goes on in the background.',
      done: 'The metafields are compared and corrected'
    },
    syncTags: {
      label: 'Correct all tags',
      title: 'Correct the tags of all customers and orders?',
      text: 'Tags of the service that are missing are added, and those of it that are to be there no more are removed. Tags of others stay. In a large store this goes on in the background.',
      done: 'The tags are compared and corrected'
    },
    drift: {
      shop: 'Metafields of the shop',
      shopText: 'What the service keeps on the shop for themes, widgets and functions. Those that differ come first.',
      customers: 'Metafields of customers and discounts',
      customersText:
        'Only those that differ from what the service knows. Everything is compared once a day; here it is compared now, some hundred customers at once.',
      tags: 'Tags of customers and orders',
      tagsText:
        'Flows and segments of the shop use these tags. Only customers and orders are listed whose tags differ.',
      allWell: 'All that were compared are as they are to be.',
      allWellTags: 'All that were compared have the tags that they are to have.',
      owner: 'Of',
      owners: { order: 'Order', discount: 'Discount', customer: 'Customer' } as Record<string, string>,
      key: 'Key',
      wanted: 'As it is to be',
      found: 'On the platform',
      missing: 'Missing',
      surplus: 'Too many',
      why: 'Why',
      compared: (count: string) => `Compared: ${count}`,
      nextPart: 'Compare the next part',
      firstPart: 'To the first part'
    },
    tester: {
      title: 'Try a selector',
      text: 'Paste the source of a page of your theme and see what a selector finds there, before customers do. Nothing is sent.',
      selector: 'Selector',
      html: 'Source of the page',
      htmlHelp: 'In the browser: right click, “View page source”, select all and copy.',
      label: 'Try it',
      invalid: 'is not a CSS selector',
      found: (count: number) =>
        count === 0 ? 'It finds nothing' : count === 1 ? 'It finds 1 element' : `It finds ${count} elements`,
      match: (nth: number) => `Element ${nth}`
    }
  },
  de: {
    forms: FORMS_DE as Record<string, { title: string; text: string }>,
    settings: SETTINGS_DE as FieldTexts,
    tabs: {
      billing: 'Abbuchung',
      customers: 'Kunden',
      plans: 'Pläne und Kasse',
      loyalty: 'Treueprogramm',
      wallet: 'Wallet',
      storefront: 'Storefront',
      platform: 'Auf der Plattform'
    },
    discard: 'Änderungen verwerfen',
    oldestPlan: 'Der älteste aktive Plan',
    mainPlans: { vip: 'VIP jetzt', elite: 'Elite jetzt', none: 'Keiner' },
    ladder: {
      title: 'Was auf eine abgelehnte Abbuchung folgt',
      first: 'Abgelehnt',
      nth: (nth) => `Versuch ${nth}`,
      day: (day) => `Tag ${day}`,
      after: (day) => `Tag ${day}, wenn auch das scheitert`
    },
    storefrontText:
      'Themes, Widgets und Funktionen lesen dies in Metafeldern des Shops. Eine Änderung ist nach Sekunden auf der Plattform. Unter jedem Formular steht, was die Plattform jetzt hat.',
    json: {
      label: 'Als JSON bearbeiten',
      title: (key) => `svc.${key} bearbeiten`,
      value: 'Wert',
      help: 'Was Sie weglassen, bleibt wie es ist. null ist wieder der Anfangswert.',
      notAnObject: 'muss ein JSON-Objekt sein, etwa {"enabled": true}'
    },
    raw: {
      show: 'Rohwert zeigen',
      hide: 'Rohwert verbergen',
      found: 'Auf der Plattform',
      wanted: 'Wie es sein soll',
      notThere: '(nicht vorhanden)',
      inStep: 'Wie es sein soll',
      notNeeded: 'Nicht nötig',
      waiting: 'Wird geschrieben',
      differs: 'Weicht ab',
      differsText:
        'Jemand anderes hat es auf der Plattform geändert. Der Dienst berichtigt es einmal am Tag oder hier sofort.'
    },
    syncAll: 'Alle vergleichen und berichtigen',
    sync: {
      label: 'Neu schreiben',
      confirmLabel: 'Neu schreiben',
      title: 'Die Metafelder neu schreiben?',
      text: 'Die Metafelder des Shops und aller Kunden werden jetzt mit der Plattform verglichen. Was jemand anderes dort geändert hat, wird ersetzt; eine Meldung bewahrt den Wert, der dort war. In einem großen Shop geht das im Hintergrund weiter.',
      done: 'Die Metafelder sind verglichen und berichtigt'
    },
    syncTags: {
      label: 'Alle Tags berichtigen',
      title: 'Die Tags aller Kunden und Bestellungen berichtigen?',
      text: 'Fehlende Tags des Dienstes werden ergänzt, überzählige von ihm entfernt. Tags von anderen bleiben. In einem großen Shop geht das im Hintergrund weiter.',
      done: 'Die Tags sind verglichen und berichtigt'
    },
    drift: {
      shop: 'Metafelder des Shops',
      shopText: 'Was der Dienst am Shop für Themes, Widgets und Funktionen führt. Abweichende stehen oben.',
      customers: 'Metafelder von Kunden und Rabatten',
      customersText:
        'Nur was von dem abweicht, was der Dienst weiß. Alles wird einmal am Tag verglichen; hier jetzt, einige hundert Kunden auf einmal.',
      tags: 'Tags von Kunden und Bestellungen',
      tagsText:
        'Abläufe und Segmente des Shops verwenden diese Tags. Hier stehen nur Kunden und Bestellungen, deren Tags abweichen.',
      allWell: 'Alle verglichenen sind, wie sie sein sollen.',
      allWellTags: 'Alle verglichenen haben die Tags, die sie haben sollen.',
      owner: 'Von',
      owners: { order: 'Bestellung', discount: 'Rabatt', customer: 'Kunde' } as Record<string, string>,
      key: 'Schlüssel',
      wanted: 'Wie es sein soll',
      found: 'Auf der Plattform',
      missing: 'Fehlen',
      surplus: 'Zu viel',
      why: 'Warum',
      compared: (count) => `Verglichen: ${count}`,
      nextPart: 'Den nächsten Teil vergleichen',
      firstPart: 'Zum ersten Teil'
    },
    tester: {
      title: 'Einen Selektor ausprobieren',
      text: 'Fügen Sie den Quelltext einer Seite Ihres Themes ein und sehen Sie, was ein Selektor dort findet, bevor Ihre Kunden es sehen. Nichts wird gesendet.',
      selector: 'Selektor',
      html: 'Quelltext der Seite',
      htmlHelp: 'Im Browser: Rechtsklick, „Seitenquelltext anzeigen“, alles markieren und kopieren.',
      label: 'Ausprobieren',
      invalid: 'ist kein CSS-Selektor',
      found: (count) =>
        count === 0 ? 'Er findet nichts' : count === 1 ? 'Er findet 1 Element' : `Er findet ${count} Elemente`,
      match: (nth) => `Element ${nth}`
    }
  }
})
