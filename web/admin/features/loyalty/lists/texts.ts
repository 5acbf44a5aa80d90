import { areaTexts } from '../../../shared/texts/area-texts.ts'

export const useListTexts = areaTexts({
  en: {
    noneMatches: 'Nothing matches these filters',
    customer: 'Customer',
    code: 'Code',
    takesOff: 'Takes off',
    coupons: {
      about: 'Discount codes of single customers: rewards, and what points have bought. Newest first.',
      none: 'No coupons yet',
      noneText: 'A coupon comes to be when a customer earns one, or buys one with points.',
      comesFrom: 'Comes from',
      rule: 'Reward of a rule',
      template: 'Bought with points',
      tier: 'Reward of a tier',
      types: {
        amount_off_orders: 'Off the order',
        amount_off_products: 'Off products',
        free_product: 'A free product',
        free_shipping: 'Free shipping'
      } as Record<string, string>,
      statuses: { pending: 'Being made', active: 'Active', ended: 'Ended' } as Record<string, string>,
      endedBy: {
        used: 'used',
        expired: 'expired',
        deleted: 'deleted on the platform, or no longer earned',
        revoked: 'ended here',
        refused: 'refused by the platform'
      } as Record<string, string>,
      end: 'End',
      endTitle: (code: string) => `End ${code}?`,
      endText: 'The platform does not take it any more. Points that have bought it stay spent.',
      ended: 'The coupon has ended'
    },
    renewals: {
      about:
        'Discounts on the next renewals of a subscription, and products that come with them. Rules give them; the subscription keeps its price. Newest first.',
      none: 'No rewards on renewals yet',
      noneText:
        'A rule of any type can give one: its reward is “A discount on renewals” or “A free product with renewals”.',
      gives: 'Reward',
      off: (amount: string) => `${amount} off each renewal`,
      freeProduct: (product: string) => `Product ${product} costs nothing`,
      subscription: 'Subscription',
      noSubscription: 'Waits for one',
      used: 'Renewals',
      usedOf: (used: string, all: string) => `${used} of ${all}`,
      earned: 'Earned',
      statuses: { pending: 'Being given', active: 'Active', ended: 'Ended' } as Record<string, string>,
      endedBy: {
        used: 'used up',
        revoked: 'ended here, or no longer earned',
        removed: 'taken off on the platform',
        refused: 'refused by the platform'
      } as Record<string, string>,
      end: 'End',
      endTitle: (name: string) => `End ${name}?`,
      endText: 'What is left of it is taken off the subscription. Renewals that had it stay as they are.',
      ended: 'The reward has ended'
    },
    referrals: {
      about:
        'Orders with the code of a customer. A referral counts when the order is a new customer’s first, and is paid.',
      none: 'No referrals yet',
      noneText: 'A rule of the type “Referring a friend” gives every customer a link. Whoever orders with it is here.',
      referrer: 'Who sent the link',
      friend: 'Who ordered',
      order: 'Order',
      ordered: 'Ordered',
      statuses: {
        checking: 'Being checked',
        counted: 'Counted',
        not_counted: 'Does not count now',
        refused: 'Refused'
      } as Record<string, string>,
      reasons: {
        same_customer: 'it is the same customer',
        same_email: 'both have the same mailbox',
        same_address: 'both have the same address',
        not_new: 'it is not the first order',
        referrer_gone: 'who sent the link is gone'
      } as Record<string, string>
    }
  },
  de: {
    noneMatches: 'Nichts passt zu diesen Filtern',
    customer: 'Kunde',
    code: 'Code',
    takesOff: 'Zieht ab',
    coupons: {
      about: 'Rabattcodes einzelner Kunden: Belohnungen und was Punkte gekauft haben. Das Neueste zuerst.',
      none: 'Noch keine Gutscheine',
      noneText: 'Ein Gutschein entsteht, wenn ein Kunde ihn verdient oder mit Punkten kauft.',
      comesFrom: 'Kommt von',
      rule: 'Belohnung einer Regel',
      template: 'Mit Punkten gekauft',
      tier: 'Belohnung einer Stufe',
      types: {
        amount_off_orders: 'Auf die Bestellung',
        amount_off_products: 'Auf Produkte',
        free_product: 'Ein kostenloses Produkt',
        free_shipping: 'Kostenloser Versand'
      },
      statuses: { pending: 'Wird angelegt', active: 'Aktiv', ended: 'Beendet' },
      endedBy: {
        used: 'eingelöst',
        expired: 'abgelaufen',
        deleted: 'auf der Plattform gelöscht oder nicht mehr verdient',
        revoked: 'hier beendet',
        refused: 'von der Plattform abgelehnt'
      },
      end: 'Beenden',
      endTitle: (code) => `${code} beenden?`,
      endText: 'Die Plattform nimmt ihn nicht mehr an. Punkte, die ihn gekauft haben, bleiben ausgegeben.',
      ended: 'Der Gutschein ist beendet'
    },
    renewals: {
      about:
        'Rabatte auf die nächsten Verlängerungen eines Abonnements und Produkte, die mit ihnen kommen. Regeln vergeben sie; der Preis des Abonnements bleibt. Das Neueste zuerst.',
      none: 'Noch keine Belohnungen auf Verlängerungen',
      noneText:
        'Eine Regel jeder Art kann eine geben: ihre Belohnung ist „Ein Rabatt auf Verlängerungen“ oder „Ein kostenloses Produkt zu Verlängerungen“.',
      gives: 'Belohnung',
      off: (amount) => `${amount} weniger bei jeder Verlängerung`,
      freeProduct: (product) => `Produkt ${product} kostet nichts`,
      subscription: 'Abonnement',
      noSubscription: 'Wartet auf eines',
      used: 'Verlängerungen',
      usedOf: (used, all) => `${used} von ${all}`,
      earned: 'Verdient',
      statuses: { pending: 'Wird vergeben', active: 'Aktiv', ended: 'Beendet' },
      endedBy: {
        used: 'aufgebraucht',
        revoked: 'hier beendet oder nicht mehr verdient',
        removed: 'auf der Plattform entfernt',
        refused: 'von der Plattform abgelehnt'
      },
      end: 'Beenden',
      endTitle: (name) => `${name} beenden?`,
      endText:
        'Was davon übrig ist, wird vom Abonnement genommen. Verlängerungen, die sie hatten, bleiben, wie sie sind.',
      ended: 'Die Belohnung ist beendet'
    },
    referrals: {
      about:
        'Bestellungen mit dem Code eines Kunden. Eine Empfehlung zählt, wenn die Bestellung die erste eines neuen Kunden und bezahlt ist.',
      none: 'Noch keine Empfehlungen',
      noneText:
        'Eine Regel der Art „Einen Freund empfehlen“ gibt jedem Kunden einen Link. Wer damit bestellt, steht hier.',
      referrer: 'Wer den Link geschickt hat',
      friend: 'Wer bestellt hat',
      order: 'Bestellung',
      ordered: 'Bestellt',
      statuses: {
        checking: 'Wird geprüft',
        counted: 'Zählt',
        not_counted: 'Zählt jetzt nicht',
        refused: 'Abgelehnt'
      },
      reasons: {
        same_customer: 'es ist derselbe Kunde',
        same_email: 'beide haben dasselbe Postfach',
        same_address: 'beide haben dieselbe Adresse',
        not_new: 'es ist nicht die erste Bestellung',
        referrer_gone: 'wer den Link geschickt hat, ist weg'
      }
    }
  }
})
