import { areaTexts } from '../../../shared/texts/area-texts.ts'

export const useTierTexts = areaTexts({
  en: {
    about:
      'A customer is in the highest active tier whose conditions all hold. A higher one is entered at once, and left at a review.',
    none: 'No tiers yet',
    noneText:
      'A tier has a name, conditions and rewards, such as Gold from 500 spent in a year with 1.5 times the points.',
    create: 'Create a tier',
    created: (name: string) => `The tier ${name} was created`,
    saved: 'Tier saved',
    list: 'Tiers',
    place: 'Place',
    needs: 'Needs',
    nothing: 'Nothing: open to everybody',
    gives: 'Gives',
    customers: 'Customers',
    statuses: { active: 'Active', off: 'Off' } as Record<string, string>,
    says: {
      points_earned: (count: string) => `${count} points earned`,
      min_spend: (money: string) => `${money} spent`,
      min_orders: (count: string) => `${count} orders`,
      points: (count: string) => `${count} points on entering`,
      discount: (percent: string) => `a coupon of ${percent}`,
      shipping: 'a coupon for free shipping',
      multiplier: (times: string) => `${times} times the points`
    },
    needsLegend: 'What a customer needs, all of it',
    needsHelp: 'Only the lowest tier may need nothing. A change moves all customers at once.',
    points_earned: 'Points earned',
    min_spend: (currency: string) => `Spent (${currency})`,
    min_orders: 'Orders',
    givesLegend: 'What it gives on entering it',
    points: 'Points',
    discount: 'Coupon, percent off one order',
    freeShipping: 'Coupon for free shipping',
    multiplier: 'Points are multiplied by',
    order: 'Place',
    orderHelp: '0 to 1000; the lowest tier has the lowest. Empty: above all others',
    tag: 'Tag of its customers',
    tagHelp: 'On the platform; empty for none',
    active: 'Customers enter it'
  },
  de: {
    about:
      'Ein Kunde ist in der höchsten aktiven Stufe, deren Bedingungen alle gelten. In eine höhere kommt er sofort, verlassen wird eine bei einer Prüfung.',
    none: 'Noch keine Stufen',
    noneText:
      'Eine Stufe hat einen Namen, Bedingungen und Belohnungen, etwa Gold ab 500 im Jahr mit 1,5-fachen Punkten.',
    create: 'Stufe anlegen',
    created: (name) => `Die Stufe ${name} ist angelegt`,
    saved: 'Stufe gespeichert',
    list: 'Stufen',
    place: 'Platz',
    needs: 'Braucht',
    nothing: 'Nichts: offen für alle',
    gives: 'Gibt',
    customers: 'Kunden',
    statuses: { active: 'Aktiv', off: 'Aus' },
    says: {
      points_earned: (count) => `${count} verdiente Punkte`,
      min_spend: (money) => `${money} ausgegeben`,
      min_orders: (count) => `${count} Bestellungen`,
      points: (count) => `${count} Punkte beim Eintritt`,
      discount: (percent) => `ein Gutschein über ${percent}`,
      shipping: 'ein Gutschein für kostenlosen Versand',
      multiplier: (times) => `${times}-fache Punkte`
    },
    needsLegend: 'Was ein Kunde braucht, alles davon',
    needsHelp: 'Nur die unterste Stufe darf nichts brauchen. Eine Änderung verschiebt sofort alle Kunden.',
    points_earned: 'Verdiente Punkte',
    min_spend: (currency) => `Ausgegeben (${currency})`,
    min_orders: 'Bestellungen',
    givesLegend: 'Was sie beim Eintritt gibt',
    points: 'Punkte',
    discount: 'Gutschein, Prozent auf eine Bestellung',
    freeShipping: 'Gutschein für kostenlosen Versand',
    multiplier: 'Punkte werden multipliziert mit',
    order: 'Platz',
    orderHelp: '0 bis 1000; die unterste Stufe hat den kleinsten. Ohne Angabe über allen anderen',
    tag: 'Tag ihrer Kunden',
    tagHelp: 'Auf der Plattform; ohne Angabe keiner',
    active: 'Kunden kommen hinein'
  }
})
