import { areaTexts } from '../../shared/texts/area-texts.ts'

export const useOverviewTexts = areaTexts({
  en: {
    members: 'Members',
    membersOf: { active: 'Active members', paused: 'Paused members', cancelled: 'Cancelled members' },
    attention: 'What needs attention',
    allWell: 'Everything works',
    allWellText: 'Failed work, failing endpoints and lost connections appear here, each with its remedy.',
    since: 'Since',
    alerts: 'Recent alerts',
    noAlerts: 'No alerts',
    noAlertsText: 'What the service tells the people who run a store appears here, the newest first.',
    checkedAt: 'Checked'
  },
  de: {
    members: 'Mitglieder',
    membersOf: { active: 'Aktive Mitglieder', paused: 'Pausierte Mitglieder', cancelled: 'Gekündigte Mitglieder' },
    attention: 'Was Aufmerksamkeit braucht',
    allWell: 'Alles funktioniert',
    allWellText:
      'Gescheiterte Arbeit, ausgefallene Endpunkte und verlorene Verbindungen stehen hier, jeweils mit der Abhilfe.',
    since: 'Seit',
    alerts: 'Letzte Meldungen',
    noAlerts: 'Keine Meldungen',
    noAlertsText: 'Was der Dienst den Betreibern eines Shops mitteilt, steht hier, das Neueste zuerst.',
    checkedAt: 'Geprüft'
  }
})
