import { areaTexts } from '../../../shared/texts/area-texts.ts'

const CREDIT_EXAMPLE = `email,amount,expires_at,reason,external_id
ada@example.com,25.00,2030-12-31,Moved from another service,old-1
ben@example.com,7.50,,,old-2`

const LOYALTY_EXAMPLE = `email,points,lifetime_points,tier,birth_date
ada@example.com,300,1200,Gold,1990-01-31
ben@example.com,50,,,`

export const useBalancesTexts = areaTexts({
  en: {
    mayNot: 'Your role does not import files.',
    example: 'An example of a file',
    file: 'File',
    fileNeeded: 'must be a CSV or NDJSON file',
    unreadable: 'The file cannot be read any more: it was changed or moved. Choose it again.',
    check: 'Check the file',
    checking: 'The file is being read. Leave this page open until then.',
    would: 'What it would do',
    has: 'What it has done',
    carryOut: {
      label: 'Import it',
      title: 'Import this file?',
      text: 'What the check has shown is carried out. Leave this page open until then; after an interruption check and import the same file again: nothing is imported twice.',
      done: 'The file is imported'
    },
    rows: 'Rows of the file',
    repeated: 'Imported before',
    refused: 'Refused',
    refusedRows: 'Refused rows',
    line: 'Line',
    column: 'Column',
    why: 'Why',
    showAll: (count: string) => `Show all ${count}`,
    firstOnly: (shown: string, all: string) => `The first ${shown} of ${all} refused rows.`,
    credit: {
      title: 'Import store credit',
      text: 'Credit that customers bring with them from another service. A row that is wrong does not affect the others.',
      columns:
        'CSV with a header, or NDJSON. Columns: customer_id or email, and amount; and currency, expires_at, reason and external_id as you like. With an external_id a row is imported once, in whatever file it comes.',
      example: CREDIT_EXAMPLE,
      again:
        'Correct these rows. A row with an external_id can be sent in the same file again; rows without one are known by their file alone, so put only the refused ones into a new file, or others get their credit twice.',
      added: 'Rows with new credit',
      amount: 'Credit of these'
    },
    loyalty: {
      title: 'Import points and tiers',
      text: 'Points, tiers and birth dates that customers bring with them from another service. They count for no rule and give no reward. A row that is wrong does not affect the others.',
      columns:
        'CSV with a header, or NDJSON. Columns: customer_id or email; and points, lifetime_points, tier (the name of an active tier) and birth_date as you like. Points are added once for each customer.',
      example: LOYALTY_EXAMPLE,
      again: 'Correct these rows and import the file again: what was imported is not imported twice.',
      imported: 'Rows with something new',
      points: 'Points of these',
      tiers: 'Customers with a tier',
      birthDates: 'Birth dates'
    }
  },
  de: {
    mayNot: 'Ihre Rolle importiert keine Dateien.',
    example: 'Ein Beispiel einer Datei',
    file: 'Datei',
    fileNeeded: 'muss eine CSV- oder NDJSON-Datei sein',
    unreadable: 'Die Datei ist nicht mehr lesbar: sie wurde geändert oder verschoben. Wählen Sie sie noch einmal.',
    check: 'Datei prüfen',
    checking: 'Die Datei wird gelesen. Lassen Sie diese Seite bis dahin offen.',
    would: 'Was sie tun würde',
    has: 'Was sie getan hat',
    carryOut: {
      label: 'Importieren',
      title: 'Diese Datei importieren?',
      text: 'Was die Prüfung gezeigt hat, wird ausgeführt. Lassen Sie diese Seite bis dahin offen; nach einer Unterbrechung prüfen und importieren Sie dieselbe Datei noch einmal: nichts wird zweimal importiert.',
      done: 'Die Datei ist importiert'
    },
    rows: 'Zeilen der Datei',
    repeated: 'Früher importiert',
    refused: 'Abgelehnt',
    refusedRows: 'Abgelehnte Zeilen',
    line: 'Zeile',
    column: 'Spalte',
    why: 'Warum',
    showAll: (count) => `Alle ${count} zeigen`,
    firstOnly: (shown, all) => `Die ersten ${shown} von ${all} abgelehnten Zeilen.`,
    credit: {
      title: 'Guthaben importieren',
      text: 'Guthaben, das Kunden von einem anderen Dienst mitbringen. Eine falsche Zeile betrifft die anderen nicht.',
      columns:
        'CSV mit Kopfzeile oder NDJSON. Spalten: customer_id oder email, und amount; dazu nach Belieben currency, expires_at, reason und external_id. Mit einer external_id wird eine Zeile einmal importiert, in welcher Datei sie auch kommt.',
      example: CREDIT_EXAMPLE,
      again:
        'Berichtigen Sie diese Zeilen. Eine Zeile mit external_id darf in derselben Datei noch einmal kommen; Zeilen ohne sie sind nur durch ihre Datei bekannt: geben Sie nur die abgelehnten in eine neue Datei, sonst bekommen andere ihr Guthaben zweimal.',
      added: 'Zeilen mit neuem Guthaben',
      amount: 'Deren Guthaben'
    },
    loyalty: {
      title: 'Punkte und Stufen importieren',
      text: 'Punkte, Stufen und Geburtstage, die Kunden von einem anderen Dienst mitbringen. Sie zählen für keine Regel und bringen keine Belohnung. Eine falsche Zeile betrifft die anderen nicht.',
      columns:
        'CSV mit Kopfzeile oder NDJSON. Spalten: customer_id oder email; dazu nach Belieben points, lifetime_points, tier (der Name einer aktiven Stufe) und birth_date. Punkte bekommt jeder Kunde einmal.',
      example: LOYALTY_EXAMPLE,
      again:
        'Berichtigen Sie diese Zeilen und importieren Sie die Datei noch einmal: was importiert ist, wird nicht zweimal importiert.',
      imported: 'Zeilen mit etwas Neuem',
      points: 'Deren Punkte',
      tiers: 'Kunden mit einer Stufe',
      birthDates: 'Geburtstage'
    }
  }
})
