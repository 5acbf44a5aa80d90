import { areaTexts } from '../../shared/texts/area-texts.ts'

export const useOverviewTexts = areaTexts({
  en: {
    period: 'Period',
    periods: { '7d': '7 days', '30d': '30 days', '90d': '90 days', '365d': '365 days' },
    plan: 'Plan',
    figures: {
      active: 'Active members',
      changes: ({ fresh, cancelled, paused }: { fresh: string; cancelled: string; paused: string | null }) =>
        `${fresh} new, ${cancelled} cancelled${paused === null ? '' : `; ${paused} paused now`}`,
      mrr: 'Monthly recurring revenue',
      arr: (amount: string) => `${amount} a year`,
      churn: 'Churn',
      churnMore: 'Of the members at the beginning of the period; whoever cancelled counts, also if they came back',
      revenue: 'Revenue',
      refunds: (amount: string) => `${amount} refunded`,
      recovered: 'Recovered by retries',
      atRisk: (amount: string) => `${amount} still at risk`,
      credit: 'Store credit outstanding',
      redeemed: (amount: string) => `${amount} redeemed in the period`
    },
    more: (amount: string) => `${amount} more than before`,
    less: (amount: string) => `${amount} less than before`,
    unchanged: 'As before',
    notComparable: 'Nothing to compare with',
    charts: {
      active: 'Active members by day',
      revenue: 'Revenue by day',
      changes: 'New and cancelled members by day',
      asTable: 'Show the days as a table'
    },
    series: { day: 'Day', active: 'Active', new: 'New', cancelled: 'Cancelled', revenue: 'Revenue' },
    reasons: 'Why subscriptions ended',
    noReasons: 'No subscription ended in this period.',
    offers: (shown: string, accepted: string, saved: string) =>
      `Offers to people who cancel: ${shown} shown, ${accepted} accepted, ${saved} stayed.`,
    toRemedy: 'Go there',
    attention: 'What needs attention',
    unpaid: (amount: string) => `Cycles worth ${amount} are unpaid: their charges were declined`,
    unpaidText: 'They are tried again by the dunning settings. What each needs stands at the charge.',
    pending: (count: string) => `Charges without an outcome yet: ${count}`,
    pendingText:
      'The platform has not reported what became of them, or a customer has to confirm the payment at the bank.',
    allWell: 'Everything works',
    allWellText:
      'Declined charges, failed work, failing endpoints and lost connections appear here, each with its remedy.',
    since: 'Since',
    alerts: 'Recent alerts',
    noAlerts: 'No alerts',
    noAlertsText: 'What the service tells the people who run a store appears here, the newest first.',
    checkedAt: 'Checked'
  },
  de: {
    period: 'Zeitraum',
    periods: { '7d': '7 Tage', '30d': '30 Tage', '90d': '90 Tage', '365d': '365 Tage' },
    plan: 'Plan',
    figures: {
      active: 'Aktive Mitglieder',
      changes: ({ fresh, cancelled, paused }) =>
        `${fresh} neu, ${cancelled} gekündigt${paused === null ? '' : `; ${paused} jetzt pausiert`}`,
      mrr: 'Monatlich wiederkehrender Umsatz',
      arr: (amount) => `${amount} im Jahr`,
      churn: 'Abwanderung',
      churnMore: 'Von den Mitgliedern am Beginn des Zeitraums; wer gekündigt hat, zählt, auch nach einer Rückkehr',
      revenue: 'Umsatz',
      refunds: (amount) => `${amount} erstattet`,
      recovered: 'Durch Wiederholungen gerettet',
      atRisk: (amount) => `${amount} noch gefährdet`,
      credit: 'Offenes Guthaben',
      redeemed: (amount) => `${amount} im Zeitraum eingelöst`
    },
    more: (amount) => `${amount} mehr als davor`,
    less: (amount) => `${amount} weniger als davor`,
    unchanged: 'Wie davor',
    notComparable: 'Kein Vergleich möglich',
    charts: {
      active: 'Aktive Mitglieder je Tag',
      revenue: 'Umsatz je Tag',
      changes: 'Neue und gekündigte Mitglieder je Tag',
      asTable: 'Die Tage als Tabelle zeigen'
    },
    series: { day: 'Tag', active: 'Aktiv', new: 'Neu', cancelled: 'Gekündigt', revenue: 'Umsatz' },
    reasons: 'Warum Abonnements endeten',
    noReasons: 'In diesem Zeitraum endete kein Abonnement.',
    offers: (shown, accepted, saved) =>
      `Angebote beim Kündigen: ${shown} gezeigt, ${accepted} angenommen, ${saved} geblieben.`,
    toRemedy: 'Dorthin',
    attention: 'Was Aufmerksamkeit braucht',
    unpaid: (amount) => `Zyklen im Wert von ${amount} sind unbezahlt: Ihre Abbuchungen wurden abgelehnt`,
    unpaidText: 'Sie werden nach den Mahn-Einstellungen nochmals versucht. Was jede braucht, steht bei der Abbuchung.',
    pending: (count) => `Abbuchungen noch ohne Ergebnis: ${count}`,
    pendingText:
      'Die Plattform hat nicht gemeldet, was daraus wurde, oder jemand muss die Zahlung bei der Bank bestätigen.',
    allWell: 'Alles funktioniert',
    allWellText:
      'Abgelehnte Abbuchungen, gescheiterte Arbeit, ausgefallene Endpunkte und verlorene Verbindungen stehen hier, jeweils mit der Abhilfe.',
    since: 'Seit',
    alerts: 'Letzte Meldungen',
    noAlerts: 'Keine Meldungen',
    noAlertsText: 'Was der Dienst den Betreibern eines Shops mitteilt, steht hier, das Neueste zuerst.',
    checkedAt: 'Geprüft'
  }
})
