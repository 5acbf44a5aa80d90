import { areaTexts } from '../../../shared/texts/area-texts.ts'

export const useRewardsTexts = areaTexts({
  en: {
    lead: 'A shop may keep reward points with another service. Perennial does not count them: it keeps each customer’s balance, and shows it in the rows of members of the Data API.',
    add: 'Add an integration',
    list: 'Integrations',
    none: 'No other service keeps points for this shop',
    noneText:
      'Add one by a key of your choice, such as “smile”. Balances come in two ways: Perennial pulls them from a URL, or a program pushes them by the admin API. The last one that arrives counts.',
    columns: {
      key: 'Key',
      field: 'Field of members',
      state: 'State',
      balances: 'Balances',
      pull: 'Pulled from',
      actions: 'Actions'
    },
    active: 'Active',
    inactive: 'Inactive',
    notShown: 'The storefront does not show them',
    pushedOnly: 'Only pushed',
    every: (minutes: string) => `every ${minutes} minutes`,
    statuses: { waiting: 'Waits for the next pull', running: 'Pulling now', failing: 'Failing', off: 'Off' } as Record<
      string,
      string
    >,
    nextAt: 'Next',
    finishedAt: 'Last finished',
    failingSince: 'Failing since',
    counts: (received: string, stored: string, unknown: string) =>
      `${received} received, ${stored} stored, ${unknown} of nobody known`,
    pullNow: 'Pull now',
    pulling: 'The balances are being pulled',
    remove: 'Remove',
    removeTitle: (key: string) => `Remove ${key}?`,
    removeText: (key: string, balances: string) =>
      `All of its balances (${balances}) are deleted with it, and rows of members lose the field ${key}_points. This cannot be undone; the other service keeps its points.`,
    removed: 'The integration is removed',
    editTitle: (key: string) => `Change ${key}`,
    save: 'Save the integration',
    key: 'Key',
    keyHelp: 'Lower-case letters, digits and _, such as smile. Rows of members get the field smile_points.',
    isActive: 'Rows of members have its field',
    isShown: 'The shop shows these balances in its storefront',
    url: 'Pull from',
    urlHelp: 'An https address that answers with balances. Empty: nothing is pulled, and balances are only pushed.',
    everyMinutes: 'How often, in minutes',
    everyHelp: '5 to 1,440',
    authorization: 'Authorization',
    authorizationHelp:
      'The value of the header that is sent with each pull, such as “Bearer …”. It is kept encrypted and never shown.',
    authorizationKept: 'One is kept. Leave this empty to go on with it; another address forgets it.',
    saved: 'The integration is saved',
    changedMeanwhile:
      'Somebody else has changed this integration meanwhile. Close this dialog to see it as it is now, and change it then.'
  },
  de: {
    lead: 'Ein Shop kann Bonuspunkte bei einem anderen Dienst führen. Perennial zählt sie nicht: Es merkt sich den Stand jedes Kunden und zeigt ihn in den Mitgliederzeilen der Data-API.',
    add: 'Integration hinzufügen',
    list: 'Integrationen',
    none: 'Kein anderer Dienst führt Punkte für diesen Shop',
    noneText:
      'Fügen Sie einen unter einem Schlüssel Ihrer Wahl hinzu, etwa „smile“. Die Stände kommen auf zwei Wegen: Perennial holt sie von einer Adresse, oder ein Programm schickt sie über die Admin-API. Der letzte zählt.',
    columns: {
      key: 'Schlüssel',
      field: 'Feld der Mitglieder',
      state: 'Zustand',
      balances: 'Stände',
      pull: 'Geholt von',
      actions: 'Aktionen'
    },
    active: 'Aktiv',
    inactive: 'Inaktiv',
    notShown: 'Der Shop zeigt sie nicht',
    pushedOnly: 'Nur geschickt',
    every: (minutes) => `alle ${minutes} Minuten`,
    statuses: {
      waiting: 'Wartet auf das nächste Holen',
      running: 'Wird gerade geholt',
      failing: 'Scheitert',
      off: 'Aus'
    },
    nextAt: 'Nächstes Mal',
    finishedAt: 'Zuletzt fertig',
    failingSince: 'Scheitert seit',
    counts: (received, stored, unknown) => `${received} empfangen, ${stored} gespeichert, ${unknown} von Unbekannten`,
    pullNow: 'Jetzt holen',
    pulling: 'Die Stände werden geholt',
    remove: 'Entfernen',
    removeTitle: (key) => `${key} entfernen?`,
    removeText: (key, balances) =>
      `Alle ihre Stände (${balances}) werden mit gelöscht, und die Mitgliederzeilen verlieren das Feld ${key}_points. Das lässt sich nicht rückgängig machen; der andere Dienst behält seine Punkte.`,
    removed: 'Die Integration ist entfernt',
    editTitle: (key) => `${key} ändern`,
    key: 'Schlüssel',
    save: 'Integration speichern',
    keyHelp: 'Kleinbuchstaben, Ziffern und _, etwa smile. Die Mitgliederzeilen bekommen das Feld smile_points.',
    isActive: 'Die Mitgliederzeilen haben ihr Feld',
    isShown: 'Der Shop zeigt diese Stände',
    url: 'Holen von',
    urlHelp: 'Eine https-Adresse, die mit Ständen antwortet. Leer: Es wird nichts geholt, Stände werden nur geschickt.',
    everyMinutes: 'Wie oft, in Minuten',
    everyHelp: '5 bis 1.440',
    authorization: 'Authorization',
    authorizationHelp:
      'Der Wert des Headers, der jedes Mal mitgesendet wird, etwa „Bearer …“. Er wird verschlüsselt aufbewahrt und nie gezeigt.',
    authorizationKept:
      'Es gibt einen. Lassen Sie das Feld leer, um ihn zu behalten; mit einer anderen Adresse wird er vergessen.',
    saved: 'Die Integration ist gespeichert',
    changedMeanwhile:
      'Jemand anders hat diese Integration inzwischen geändert. Schließen Sie diesen Dialog, um den neuen Stand zu sehen, und ändern Sie sie dann.'
  }
})
