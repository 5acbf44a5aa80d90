import { areaTexts } from '../../shared/texts/area-texts.ts'

const EXAMPLE = `email,plan,next_billing_date,cycles_paid,external_id
m1@example.com,VIP,2030-08-15,3,old-1
m2@example.com,VIP,2030-08-20,1,old-2`

export const useImportsTexts = areaTexts({
  en: {
    tabs: { members: 'Members', platform: 'From the platform', credit: 'Store credit', loyalty: 'Points and tiers' },
    text: 'Members whom another service has billed until now. An import charges nothing, not even for a date that has passed.',
    none: 'Nothing was imported yet',
    noneText:
      'An import takes over members whom another app has billed, from a file or from the contracts on the platform. It charges nothing. The usual way is to import everybody paused until the day from which this service bills, to correct what was refused, and then to turn off the other app. A file has a header and a row for each member:',
    example: EXAMPLE,
    import: 'Import',
    status: 'Status',
    source: 'From',
    created: 'Taken over',
    unchanged: 'Known before',
    refused: 'Refused',
    pushed: 'Of these on the platform too',
    mode: 'They begin',
    pausedUntil: 'Paused until',
    begun: 'Begun',
    ended: 'Ended',
    toList: 'All imports',
    title: (id: string) => `Import ${id}`,
    progress: 'Progress',
    rows: (done: string, total: string) => `${done} of ${total} rows`,
    statuses: {
      receiving: 'Waits for its file',
      fetching: 'Waits for the platform',
      running: 'Running',
      done: 'Done',
      failed: 'Failed',
      cancelled: 'Cancelled'
    } as Record<string, string>,
    what: {
      receiving: 'Its file has not come to its end. It is waited for, for seven days.',
      fetching: 'The platform is writing the list of its contracts.',
      running: 'Rows are being taken over. It goes on if you leave this page.',
      done: 'Every row is taken over, known before, or refused.',
      failed: 'It ended before its last row.',
      cancelled: 'It was stopped. What was taken over by then stays.'
    } as Record<string, string>,
    sources: { csv: 'CSV file', ndjson: 'NDJSON file', platform: 'The platform' } as Record<string, string>,
    modes: { live: 'Active', paused: 'Paused' } as Record<string, string>,
    start: {
      label: 'Import members',
      title: 'Import members',
      confirm: 'Begin the import',
      text: 'Nothing is charged by an import. A row that was imported before has no effect.',
      from: 'From',
      fromFile: 'A file',
      fromPlatform: 'All contracts on the platform that have not ended',
      file: 'File',
      fileHelp:
        'CSV with a header, or NDJSON, of at most 512 MiB. Columns: contract_id, or customer_id or email with plan and next_billing_date; and cycles_paid, started_at, external_id and others.',
      fileNeeded: 'must be a CSV or NDJSON file',
      mode: 'Members begin',
      modeHelp: 'Where their row does not say it.',
      paused: 'Paused: another service still bills them',
      live: 'Active: nobody else bills them any more',
      until: 'Paused until',
      untilHelp: 'They resume by themselves on that day, at midnight of the shop. Empty: somebody resumes them.',
      duplicates: 'Accept several rows of one customer and plan',
      duplicatesHelp: 'Of rows without contract_id and external_id. Otherwise the second is refused.',
      sending: 'The file is being sent. Leave this page open until then.'
    },
    again: {
      title: 'Send its file',
      text: 'Send the same file from its beginning: rows that were read are skipped.',
      label: 'Send the file',
      done: 'The file has come'
    },
    cancel: {
      label: 'Cancel the import',
      title: 'Cancel this import?',
      text: 'It stops. Members who were taken over by then stay, and are not undone.',
      confirmLabel: 'Stop it',
      done: 'The import is cancelled'
    },
    report: {
      title: 'Refused rows',
      text: 'Correct these rows in the downloaded file, remove the columns that were added at its end, from line on, and import it as a new file. Rows that were taken over are not taken over twice.',
      download: { csv: 'Download as CSV', ndjson: 'Download as NDJSON' },
      line: 'Line',
      why: 'Why',
      row: 'Row',
      more: (shown: string, all: string) => `The first ${shown} of ${all}. The file has all of them.`
    }
  },
  de: {
    tabs: { members: 'Mitglieder', platform: 'Von der Plattform', credit: 'Guthaben', loyalty: 'Punkte und Stufen' },
    text: 'Mitglieder, die bisher ein anderer Dienst abgerechnet hat. Ein Import bucht nichts ab, auch nicht für ein vergangenes Datum.',
    none: 'Noch wurde nichts importiert',
    noneText:
      'Ein Import übernimmt Mitglieder, die eine andere App abgerechnet hat, aus einer Datei oder von den Verträgen auf der Plattform. Er bucht nichts ab. Üblich ist: alle pausiert bis zu dem Tag importieren, ab dem dieser Dienst abbucht, Abgelehntes berichtigen und dann die andere App ausschalten. Eine Datei hat eine Kopfzeile und je Mitglied eine Zeile:',
    example: EXAMPLE,
    import: 'Import',
    status: 'Status',
    source: 'Von',
    created: 'Übernommen',
    unchanged: 'Schon bekannt',
    refused: 'Abgelehnt',
    pushed: 'Davon auch auf der Plattform',
    mode: 'Sie beginnen',
    pausedUntil: 'Pausiert bis',
    begun: 'Begonnen',
    ended: 'Beendet',
    toList: 'Alle Importe',
    title: (id) => `Import ${id}`,
    progress: 'Fortschritt',
    rows: (done, total) => `${done} von ${total} Zeilen`,
    statuses: {
      receiving: 'Wartet auf seine Datei',
      fetching: 'Wartet auf die Plattform',
      running: 'Läuft',
      done: 'Fertig',
      failed: 'Gescheitert',
      cancelled: 'Abgebrochen'
    } as Record<string, string>,
    what: {
      receiving: 'Seine Datei ist nicht ganz angekommen. Auf sie wird sieben Tage gewartet.',
      fetching: 'Die Plattform schreibt die Liste ihrer Verträge.',
      running: 'Zeilen werden übernommen. Es geht weiter, auch wenn Sie diese Seite verlassen.',
      done: 'Jede Zeile ist übernommen, schon bekannt oder abgelehnt.',
      failed: 'Er endete vor seiner letzten Zeile.',
      cancelled: 'Er wurde angehalten. Was bis dahin übernommen war, bleibt.'
    } as Record<string, string>,
    sources: { csv: 'CSV-Datei', ndjson: 'NDJSON-Datei', platform: 'Die Plattform' } as Record<string, string>,
    modes: { live: 'Aktiv', paused: 'Pausiert' } as Record<string, string>,
    start: {
      label: 'Mitglieder importieren',
      title: 'Mitglieder importieren',
      confirm: 'Import beginnen',
      text: 'Ein Import bucht nichts ab. Eine schon importierte Zeile bewirkt nichts.',
      from: 'Von',
      fromFile: 'Einer Datei',
      fromPlatform: 'Allen Verträgen auf der Plattform, die nicht beendet sind',
      file: 'Datei',
      fileHelp:
        'CSV mit Kopfzeile oder NDJSON, höchstens 512 MiB. Spalten: contract_id, oder customer_id oder email mit plan und next_billing_date; dazu cycles_paid, started_at, external_id und andere.',
      fileNeeded: 'muss eine CSV- oder NDJSON-Datei sein',
      mode: 'Mitglieder beginnen',
      modeHelp: 'Wo ihre Zeile nichts anderes sagt.',
      paused: 'Pausiert: ein anderer Dienst rechnet sie noch ab',
      live: 'Aktiv: niemand sonst rechnet sie mehr ab',
      until: 'Pausiert bis',
      untilHelp:
        'An diesem Tag geht es um Mitternacht des Shops von selbst weiter. Leer: jemand setzt die Mitgliedschaften fort.',
      duplicates: 'Mehrere Zeilen zu einem Kunden und Plan annehmen',
      duplicatesHelp: 'Von Zeilen ohne contract_id und external_id. Sonst wird die zweite abgelehnt.',
      sending: 'Die Datei wird gesendet. Lassen Sie diese Seite bis dahin offen.'
    },
    again: {
      title: 'Seine Datei senden',
      text: 'Senden Sie dieselbe Datei von Anfang an: gelesene Zeilen werden übersprungen.',
      label: 'Datei senden',
      done: 'Die Datei ist angekommen'
    },
    cancel: {
      label: 'Import abbrechen',
      title: 'Diesen Import abbrechen?',
      text: 'Er hält an. Wer bis dahin übernommen war, bleibt; nichts wird rückgängig gemacht.',
      confirmLabel: 'Anhalten',
      done: 'Der Import ist abgebrochen'
    },
    report: {
      title: 'Abgelehnte Zeilen',
      text: 'Berichtigen Sie diese Zeilen in der heruntergeladenen Datei, entfernen Sie die am Ende ergänzten Spalten ab line und importieren Sie sie als neue Datei. Übernommenes wird nicht zweimal übernommen.',
      download: { csv: 'Als CSV herunterladen', ndjson: 'Als NDJSON herunterladen' },
      line: 'Zeile',
      why: 'Warum',
      row: 'Inhalt',
      more: (shown, all) => `Die ersten ${shown} von ${all}. Die Datei hat alle.`
    }
  }
})
