import type { FORMS_EN, SETTINGS_EN } from './texts-en.ts'

export const FORMS_DE: typeof FORMS_EN = {
  dunning: {
    title: 'Nach einer abgelehnten Abbuchung',
    text: 'Eine abgelehnte Karte kann später gehen, deshalb wird die Abbuchung wiederholt. Eine Änderung gilt für Abbuchungen, die von jetzt an scheitern; geplante Versuche behalten ihr Datum.'
  },
  inventory: {
    title: 'Nicht auf Lager',
    text: 'Abbuchungen, die scheitern, weil etwas ausverkauft ist, werden für sich gezählt.'
  },
  confirm: {
    title: 'Zahlungen, die der Kunde bestätigen muss',
    text: 'Die Bank verlangt manchmal, dass der Kunde eine Zahlung bestätigt. Wer das nicht getan hat, wird erinnert.'
  },
  missed: {
    title: 'Versäumte Zyklen',
    text: 'Was abgebucht wird, wenn mehrere Zyklen vergangen sind, während der Dienst stillstand oder eine Abbuchung auf eine neue Karte wartete.'
  },
  actions: {
    title: 'Was Kunden selbst tun dürfen',
    text: 'Auf der Mitgliedsseite des Shops. Kündigen ist immer möglich.'
  },
  cancellation: {
    title: 'Nach einer Kündigung',
    text: 'Wie lange ein Kunde sie zurücknehmen kann und was aus dem Guthaben wird.'
  },
  disputes: {
    title: 'Rückbuchungen',
    text: 'Ein Kunde hat eine Zahlung der Mitgliedschaft von seiner Bank zurückverlangt und bekommen.'
  },
  points: { title: 'Punkte', text: 'Ob Kunden Punkte sammeln und einlösen und wie lange sie gelten.' },
  tiers: {
    title: 'Stufen',
    text: 'Kunden, die mehr kaufen, erreichen eine höhere Stufe, die ihre Punkte vervielfachen kann.'
  },
  rewards: { title: 'Gutscheine und Belege', text: 'Wie lange sie gelten und wie lange sie aufbewahrt werden.' },
  main: {
    title: 'Hauptpläne',
    text: 'Wo ein Shop mehrere Pläne einer Art hat, bekommen Mitglieder dieser Art die Vorteile des Hauptplans, und die Storefront zeigt ihn.'
  },
  checkout: {
    title: 'Preise der Mitglieder an der Kasse',
    text: 'Wodurch Mitglieder die Preise und den kostenlosen Versand ihres Plans bekommen.'
  },
  creditTitle: {
    title: 'Guthaben an der Kasse',
    text: 'Wo ein Plan das Guthaben durch die Rabattfunktion von der Bestellung abzieht.'
  },
  brand: { title: 'Marke', text: 'Für Shops mit mehreren Marken: zu welcher eine Bestellung gehört.' },
  pass: {
    title: 'Wallet-Karten',
    text: 'Die Mitgliedskarte im Telefon. Karten folgen mit ihrer nächsten Änderung oder sofort durch „Alle auf den neuen Stand bringen“.'
  }
}

const ENDS = {
  cancel: 'Die Mitgliedschaft wird gekündigt',
  pause: 'Die Mitgliedschaft wird pausiert',
  fail: 'Die Mitgliedschaft ist gescheitert'
}
const DAYS = 'Tage, durch Kommas getrennt.'
const NONE = 'Leer für ohne Grenze.'

export const SETTINGS_DE: typeof SETTINGS_EN = {
  'dunning.retry_after_days': {
    label: 'Tage bis zum nächsten Versuch',
    help: `Von jeder Ablehnung zum nächsten Versuch, nach dem Kalender des Shops. ${DAYS} Höchstens zehn.`
  },
  'dunning.on_failure': { label: 'Nach dem letzten Versuch', options: ENDS },
  'dunning.hard_decline_wait_days': {
    label: 'Tage, die auf eine neue Karte gewartet wird',
    help: `Eine abgelaufene oder widerrufene Karte wird nicht noch einmal versucht. ${NONE}`
  },
  'dunning.inventory.retry_after_days': {
    label: 'Tage bis zum nächsten Versuch',
    help: `${DAYS} Höchstens zehn.`
  },
  'dunning.inventory.on_failure': {
    label: 'Nach dem letzten Versuch',
    options: { skip: 'Dieser Zyklus wird ausgelassen', ...ENDS }
  },
  'action_required.remind_after_hours': {
    label: 'Stunden bis zu jeder Erinnerung',
    help: 'Gezählt ab der Bitte an den Kunden, jede größer als die davor, durch Kommas getrennt. Leer für nie.'
  },
  'billing.catch_up': {
    label: 'Abgebucht wird',
    options: { latest: 'Nur der letzte davon', all: 'Alle, einer nach dem anderen' }
  },
  'customers.may_pause': {
    label: 'Pausieren und fortsetzen',
    help: 'Was sie pausiert haben, können sie fortsetzen.'
  },
  'customers.may_skip': { label: 'Die nächste Zahlung auslassen' },
  reactivation_grace_hours: {
    label: 'Stunden, in denen eine Kündigung zurückgenommen werden kann',
    help: 'Von 0, also gar nicht, bis 720.'
  },
  credit_on_cancellation: {
    label: 'Guthaben, wenn die letzte Mitgliedschaft endet',
    help: 'Eine Reaktivierung gibt Verfallenes zurück. Wessen Mitgliedschaft abläuft, behält es.',
    options: { keep: 'Der Kunde behält es', forfeit: 'Es verfällt' }
  },
  'disputes.on_lost': {
    label: 'Wenn eine Rückbuchung verloren oder hingenommen ist',
    options: { alert: 'Nur eine Meldung', cancel: 'Eine Meldung, und die Mitgliedschaft wird gekündigt' }
  },
  'loyalty.enabled': {
    label: 'Punkte werden gesammelt und eingelöst',
    help: 'Ausgeschaltet bleiben Stände, Regeln und Stufen, wie sie sind.'
  },
  'loyalty.hold_days': {
    label: 'Tage, bis die Punkte einer Bestellung eingelöst werden können',
    help: 'Von 0 bis 365, damit eine rasche Erstattung sich nie lohnt.'
  },
  'loyalty.points_expire_after_days': { label: 'Tage, bis Punkte verfallen', help: NONE },
  'loyalty.tiers': {
    label: 'Es gibt Stufen',
    help: 'Ausgeschaltet wechselt niemand, und Punkte werden nicht vervielfacht.'
  },
  'loyalty.tier_review': {
    label: 'Das Jahr, das über eine Stufe entscheidet',
    options: { rolling_year: 'Die letzten 365 Tage', calendar_year: 'Das Kalenderjahr' }
  },
  'loyalty.coupons_expire_after_days': {
    label: 'Tage, bis der Gutschein einer Belohnung verfällt',
    help: `Mit Punkten gekaufte Gutscheine haben eine eigene Frist. ${NONE}`
  },
  'loyalty.receipt_file_days': {
    label: 'Tage, die die Datei eines Belegs aufbewahrt wird',
    help: `Nach seiner Entscheidung. ${NONE}`
  },
  'main_plan.vip': { label: 'VIP-Hauptplan' },
  'main_plan.elite': { label: 'Elite-Hauptplan' },
  'discounts.enforced_by': {
    label: 'Mitglieder bekommen sie durch',
    options: {
      off: 'Nichts: der Dienst führt keinen Rabatt',
      native: 'Automatische Rabatte der Plattform, für Kunden mit dem Tag einer Mitgliedschaft',
      function: 'Die Rabattfunktion der App, die jeden Vorteil gibt'
    }
  },
  'discounts.function_handle': {
    label: 'Handle der Rabattfunktion',
    help: 'Wie in shopify.extension.toml der App. Nötig für die Rabattfunktion.'
  },
  'credit_function.title': { label: 'Titel des Rabatts', help: 'Wie ihn Bestellungen zeigen.' },
  'brand.attribute': { label: 'Attribut einer Bestellung, das ihre Marke enthält' },
  'brand.default': {
    label: 'Marke von Bestellungen ohne dieses Attribut',
    help: 'Für Bestellungen, die von da an erfasst werden.'
  },
  'wallet.organization': { label: 'Name des Shops auf der Karte' },
  'wallet.background': {
    label: 'Farbe',
    help: 'Die Schrift ist weiß, auf Weiß schwarz.',
    options: { black: 'Schwarz', white: 'Weiß', blue: 'Blau', green: 'Grün', red: 'Rot', purple: 'Violett' }
  },
  'wallet.ended': {
    label: 'Wenn die Mitgliedschaft geendet hat',
    options: { void: 'Die Karte wird als ungültig markiert', keep: 'Die Karte zeigt nur den Status' }
  }
}
