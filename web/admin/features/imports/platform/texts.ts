import { areaTexts } from '../../../shared/texts/area-texts.ts'

export const usePlatformTexts = areaTexts({
  en: {
    failures: (count: string) => (count === '1' ? 'The last try failed.' : `${count} tries in a row failed.`),
    readIn: {
      title: 'What the shop had before',
      text: 'Customers, subscription contracts and orders that the shop had before it was connected. Nothing is charged for their past. It goes on if you leave this page.',
      none: 'The shop was not read in yet.',
      recentOnly:
        'The platform shows only orders of the last 60 days: the app does not have the scope read_all_orders.',
      statuses: { running: 'Running', done: 'Done', failed: 'A part has failed' } as Record<string, string>,
      parts: { customers: 'Customers', contracts: 'Subscription contracts', orders: 'Orders' } as Record<
        string,
        string
      >,
      partStatuses: {
        waiting: 'Waits for the platform',
        reading: 'Being read',
        done: 'Done',
        failed: 'Cannot be read'
      } as Record<string, string>,
      read: (count: string) => `Read: ${count}.`,
      lines: (done: string, all: string) => `${done} of ${all} lines of the platform’s file.`,
      since: 'Placed or changed since',
      changes: 'Every day it reads who changed since',
      finished: 'Last read to its end',
      skipped: (count: string) => `Could not be read: ${count}. The last one:`,
      days: 'Orders of so many days',
      daysHelp: 'Without the scope read_all_orders the platform shows 60 days.',
      start: {
        label: 'Read in the shop',
        title: 'Read in what the shop had before',
        text: 'All customers, all contracts and the orders of the last days are read in the background. To read again what is known changes nothing.',
        done: 'The shop is being read in'
      }
    },
    orders: {
      title: 'Orders since a day',
      text: 'Reads the orders and disputes that changed on the platform since a day, and records what is missing here. It goes on if you leave this page.',
      none: 'No orders were read this way yet.',
      statuses: { running: 'Running', done: 'Done' } as Record<string, string>,
      since: 'Changed since',
      seen: 'Listed by the platform',
      changed: 'Of these new here, or changed',
      finished: 'Last read to its end',
      day: 'Changed since',
      dayHelp: 'A day of the shop. One that is under way since this day or an earlier one goes on.',
      start: {
        label: 'Read orders',
        title: 'Read the orders that changed since a day',
        text: 'They are read page by page in the background. To read again what is known changes nothing.',
        done: 'The orders are being read'
      }
    }
  },
  de: {
    failures: (count) =>
      count === '1' ? 'Der letzte Versuch ist gescheitert.' : `${count} Versuche nacheinander sind gescheitert.`,
    readIn: {
      title: 'Was der Shop vorher hatte',
      text: 'Kunden, Abonnementverträge und Bestellungen, die der Shop vor der Verbindung hatte. Für ihre Vergangenheit wird nichts abgebucht. Es geht weiter, wenn Sie diese Seite verlassen.',
      none: 'Der Shop wurde noch nicht eingelesen.',
      recentOnly:
        'Die Plattform zeigt nur Bestellungen der letzten 60 Tage: die App hat die Berechtigung read_all_orders nicht.',
      statuses: { running: 'Läuft', done: 'Fertig', failed: 'Ein Teil ist gescheitert' },
      parts: { customers: 'Kunden', contracts: 'Abonnementverträge', orders: 'Bestellungen' },
      partStatuses: {
        waiting: 'Wartet auf die Plattform',
        reading: 'Wird gelesen',
        done: 'Fertig',
        failed: 'Kann nicht gelesen werden'
      },
      read: (count) => `Gelesen: ${count}.`,
      lines: (done, all) => `${done} von ${all} Zeilen der Datei der Plattform.`,
      since: 'Angelegt oder geändert seit',
      changes: 'Täglich wird gelesen, wer sich geändert hat seit',
      finished: 'Zuletzt zu Ende gelesen',
      skipped: (count) => `Nicht lesbar: ${count}. Das letzte davon:`,
      days: 'Bestellungen so vieler Tage',
      daysHelp: 'Ohne die Berechtigung read_all_orders zeigt die Plattform 60 Tage.',
      start: {
        label: 'Shop einlesen',
        title: 'Einlesen, was der Shop vorher hatte',
        text: 'Alle Kunden, alle Verträge und die Bestellungen der letzten Tage werden im Hintergrund gelesen. Bekanntes noch einmal zu lesen ändert nichts.',
        done: 'Der Shop wird eingelesen'
      }
    },
    orders: {
      title: 'Bestellungen seit einem Tag',
      text: 'Liest Bestellungen und Rückbuchungen, die sich auf der Plattform seit einem Tag geändert haben, und trägt ein, was hier fehlt. Es geht weiter, wenn Sie diese Seite verlassen.',
      none: 'Noch wurden keine Bestellungen so gelesen.',
      statuses: { running: 'Läuft', done: 'Fertig' },
      since: 'Geändert seit',
      seen: 'Von der Plattform gelistet',
      changed: 'Davon hier neu oder geändert',
      finished: 'Zuletzt zu Ende gelesen',
      day: 'Geändert seit',
      dayHelp: 'Ein Tag des Shops. Läuft schon eines seit diesem oder einem früheren Tag, so geht es weiter.',
      start: {
        label: 'Bestellungen lesen',
        title: 'Bestellungen lesen, die sich seit einem Tag geändert haben',
        text: 'Sie werden Seite für Seite im Hintergrund gelesen. Bekanntes noch einmal zu lesen ändert nichts.',
        done: 'Die Bestellungen werden gelesen'
      }
    }
  }
})
