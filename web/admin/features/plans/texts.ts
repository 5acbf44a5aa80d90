import { areaTexts } from '../../shared/texts/area-texts.ts'

export const usePlansTexts = areaTexts({
  en: {
    about:
      'A plan is what customers join: a membership with perks, or a subscription of products. Members of every plan of one type get the perks of its main plan.',
    types: { vip: 'VIP membership', elite: 'Elite membership', product: 'Subscription of products' } as Record<
      string,
      string
    >,
    statuses: { enabled: 'On sale', disabled: 'Not on sale' } as Record<string, string>,
    name: 'Name',
    type: 'Type',
    free: 'It costs nothing: whoever joins gets its perks and is never charged.',
    price: 'Price',
    status: 'Status',
    perks: 'Perks',
    tier: 'Tier',
    noPerks: 'No perks',
    perksOf: (main: string) => `Those of ${main}, the main plan`,
    none: 'No plans yet',
    noneText:
      'Create the first one: its product is made on the platform at once, and customers can join as soon as it is on sale.',
    create: 'Create a plan',
    created: (name: string) => `The plan ${name} was created`,
    nameHelp: 'Part of orders and tags; it never changes',
    typeHelp: 'It never changes',
    tierHelp: 'What members are called in tags and on orders; the name by default',
    productIds: 'Products',
    productIdsHelp: 'Numbers of the platform. Enter one and press Enter',
    interval: 'Unit',
    intervals: { day: 'Days', week: 'Weeks', month: 'Months', year: 'Years' } as Record<string, string>,
    intervalCount: 'How many',
    every: (count: number, interval: string) => (count === 1 ? `every ${interval}` : `every ${count} ${interval}s`),
    perCycle: (price: string, cycle: string) => `${price} ${cycle}`,
    credit: 'Store credit for each paid cycle',
    mainPlans: 'Main plans',
    mainPlansText:
      'The main plan of a type decides the perks of all its members, and is the one that the storefront shows.',
    mainPlan: { vip: 'Main VIP plan', elite: 'Main Elite plan' },
    mainPlansEdit: 'Choose main plans',
    byAge: 'The oldest plan on sale',
    noneInEffect: 'None in effect: members of this type get no perks',
    enforcement: {
      off: 'At the checkout, this service takes nothing off: a theme or another app is expected to do it.',
      native:
        'At the checkout, automatic discounts of the platform take off what they can; they do not know every perk.',
      function: 'At the checkout, the discount function of this app gives every perk.'
    } as Record<string, string>,
    storefront: 'Perks on the storefront',
    storefrontText: 'What the cart says about the membership, and what goes with orders.',
    initial: 'As at first',
    changed: 'Changed',
    on: 'On',
    off: 'Off'
  },
  de: {
    about:
      'Einem Plan treten Kunden bei: Er ist eine Mitgliedschaft mit Vorteilen oder ein Abonnement von Produkten. Mitglieder aller Pläne einer Art haben die Vorteile ihres Hauptplans.',
    types: { vip: 'VIP-Mitgliedschaft', elite: 'Elite-Mitgliedschaft', product: 'Abonnement von Produkten' },
    statuses: { enabled: 'Im Verkauf', disabled: 'Nicht im Verkauf' },
    name: 'Name',
    type: 'Art',
    free: 'Er kostet nichts: Wer beitritt, hat die Vorteile und zahlt nie.',
    price: 'Preis',
    status: 'Status',
    perks: 'Vorteile',
    tier: 'Stufe',
    noPerks: 'Keine Vorteile',
    perksOf: (main) => `Die von ${main}, dem Hauptplan`,
    none: 'Noch keine Pläne',
    noneText:
      'Legen Sie den ersten an: Sein Produkt entsteht gleich auf der Plattform, und Kunden können beitreten, sobald er im Verkauf ist.',
    create: 'Plan anlegen',
    created: (name) => `Der Plan ${name} ist angelegt`,
    nameHelp: 'Steht in Bestellungen und Tags und ändert sich nie',
    typeHelp: 'Ändert sich nie',
    tierHelp: 'So heißen Mitglieder in Tags und auf Bestellungen; ohne Angabe wie der Plan',
    productIds: 'Produkte',
    productIdsHelp: 'Nummern der Plattform. Geben Sie eine ein und drücken Sie die Eingabetaste',
    interval: 'Einheit',
    intervals: { day: 'Tage', week: 'Wochen', month: 'Monate', year: 'Jahre' },
    intervalCount: 'Wie viele',
    every: (count, interval) => {
      const [one, many] = GERMAN_INTERVALS[interval] ?? [interval, interval]
      return count === 1 ? one : `alle ${count} ${many}`
    },
    perCycle: (price, cycle) => `${price} ${cycle}`,
    credit: 'Guthaben für jede bezahlte Periode',
    mainPlans: 'Hauptpläne',
    mainPlansText:
      'Der Hauptplan einer Art bestimmt die Vorteile aller ihrer Mitglieder, und ihn zeigt das Schaufenster.',
    mainPlan: { vip: 'VIP-Hauptplan', elite: 'Elite-Hauptplan' },
    mainPlansEdit: 'Hauptpläne wählen',
    byAge: 'Der älteste Plan im Verkauf',
    noneInEffect: 'Es gilt keiner: Mitglieder dieser Art haben keine Vorteile',
    enforcement: {
      off: 'An der Kasse zieht dieser Dienst nichts ab: Das muss ein Theme oder eine andere App tun.',
      native:
        'An der Kasse ziehen automatische Rabatte der Plattform ab, was sie können; sie kennen nicht jeden Vorteil.',
      function: 'An der Kasse gibt die Rabattfunktion dieser App jeden Vorteil.'
    },
    storefront: 'Vorteile im Schaufenster',
    storefrontText: 'Was der Warenkorb über die Mitgliedschaft sagt und was Bestellungen beiliegt.',
    initial: 'Wie zu Beginn',
    changed: 'Geändert',
    on: 'An',
    off: 'Aus'
  }
})

const GERMAN_INTERVALS: Record<string, [string, string]> = {
  day: ['jeden Tag', 'Tage'],
  week: ['jede Woche', 'Wochen'],
  month: ['jeden Monat', 'Monate'],
  year: ['jedes Jahr', 'Jahre']
}
