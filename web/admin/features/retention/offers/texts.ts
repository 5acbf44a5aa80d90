import { areaTexts } from '../../../shared/texts/area-texts.ts'

export const useOfferTexts = areaTexts({
  en: {
    type: 'What it gives',
    types: { discount_price: 'A discount', change_frequency: 'Another frequency', add_store_credits: 'Store credit' },
    typeHelp: {
      discount_price: 'On each cycle, for some cycles or for all that follow.',
      change_frequency: 'Another time between two charges. The next charge stays where it is.',
      add_store_credits: 'It is there at once.'
    },
    name: 'Name',
    nameHelp: 'What customers read first',
    description: 'Description',
    descriptionHelp: 'What customers read below it',
    reasons: 'For which reasons',
    reasonsHelp: 'Who cancels with one of these is shown the offer',
    discountType: 'Kind of discount',
    discountTypes: { percentage: 'Percentage', fixed_amount: 'Amount' },
    percent: 'Whole percent',
    amount: (currency: string) => `Amount (${currency})`,
    cycles: 'For how many cycles',
    cyclesHelp: 'Empty for all that follow',
    cyclesForever: 'Empty: on all cycles that follow, for as long as the subscription runs',
    target: 'What it reduces',
    targets: { LINE_ITEM: 'The price', SHIPPING_LINE: 'Delivery, which is free' },
    eachItem: 'The amount is off each piece',
    intervalCount: 'Every',
    interval: 'Unit',
    intervals: { day: 'Days', week: 'Weeks', month: 'Months', year: 'Years' },
    credit: (currency: string) => `Store credit (${currency})`,
    toWhom: 'To whom it is shown',
    toWhomHelp: 'These are for customers; a program with a key decides itself.',
    memberDays: 'Member for at least so many days',
    sinceOffer: 'No offer accepted for so many days',
    inTrial: 'Also during a trial',
    enabled: 'Customers see it',
    saved: 'Offer saved',
    says: {
      percentage: (percent: string) => `${percent} off`,
      fixed: (money: string) => `${money} off`,
      each: (money: string) => `${money} off each piece`,
      shipping: 'Free delivery',
      cycles: (count: string) => (count === '1' ? 'for 1 cycle' : `for ${count} cycles`),
      forever: 'for all cycles that follow',
      frequency: (count: number, unit: string) =>
        count === 1 ? `A charge every ${unit}` : `A charge every ${count} ${unit}s`,
      credit: (money: string) => `${money} of store credit`
    }
  },
  de: {
    type: 'Was es gibt',
    types: {
      discount_price: 'Einen Rabatt',
      change_frequency: 'Einen anderen Rhythmus',
      add_store_credits: 'Guthaben'
    },
    typeHelp: {
      discount_price: 'Auf jede Periode, für einige oder für alle, die folgen.',
      change_frequency: 'Eine andere Zeit zwischen zwei Abbuchungen. Die nächste bleibt, wo sie ist.',
      add_store_credits: 'Es ist sofort da.'
    },
    name: 'Name',
    nameHelp: 'Was Kunden zuerst lesen',
    description: 'Beschreibung',
    descriptionHelp: 'Was Kunden darunter lesen',
    reasons: 'Für welche Gründe',
    reasonsHelp: 'Wer mit einem davon kündigt, sieht das Angebot',
    discountType: 'Art des Rabatts',
    discountTypes: { percentage: 'Prozent', fixed_amount: 'Betrag' },
    percent: 'Ganze Prozent',
    amount: (currency) => `Betrag (${currency})`,
    cycles: 'Für wie viele Perioden',
    cyclesHelp: 'Ohne Angabe für alle, die folgen',
    cyclesForever: 'Ohne Angabe: auf alle Perioden, die folgen, solange das Abonnement läuft',
    target: 'Was es senkt',
    targets: { LINE_ITEM: 'Den Preis', SHIPPING_LINE: 'Die Lieferung, die kostenlos ist' },
    eachItem: 'Der Betrag gilt für jedes Stück',
    intervalCount: 'Alle',
    interval: 'Einheit',
    intervals: { day: 'Tage', week: 'Wochen', month: 'Monate', year: 'Jahre' },
    credit: (currency) => `Guthaben (${currency})`,
    toWhom: 'Wem es gezeigt wird',
    toWhomHelp: 'Das gilt für Kunden; ein Programm mit Schlüssel entscheidet selbst.',
    memberDays: 'Seit mindestens so vielen Tagen Mitglied',
    sinceOffer: 'Seit so vielen Tagen kein Angebot angenommen',
    inTrial: 'Auch während einer Probezeit',
    enabled: 'Kunden sehen es',
    saved: 'Angebot gespeichert',
    says: {
      percentage: (percent) => `${percent} Rabatt`,
      fixed: (money) => `${money} Rabatt`,
      each: (money) => `${money} Rabatt je Stück`,
      shipping: 'Kostenlose Lieferung',
      cycles: (count) => (count === '1' ? 'für 1 Periode' : `für ${count} Perioden`),
      forever: 'für alle Perioden, die folgen',
      frequency: (count, unit) => `Eine Abbuchung ${germanEvery(count, unit)}`,
      credit: (money) => `${money} Guthaben`
    }
  }
})

const GERMAN_UNITS: Record<string, [string, string]> = {
  day: ['jeden Tag', 'Tage'],
  week: ['jede Woche', 'Wochen'],
  month: ['jeden Monat', 'Monate'],
  year: ['jedes Jahr', 'Jahre']
}

function germanEvery(count: number, unit: string): string {
  const [one, many] = GERMAN_UNITS[unit] ?? [unit, unit]
  return count === 1 ? one : `alle ${count} ${many}`
}
