import { areaTexts } from '../../../shared/texts/area-texts.ts'

export const useTemplateTexts = areaTexts({
  en: {
    about:
      'What points can buy: each template is a coupon with its price in points. A change is about coupons bought later.',
    none: 'No templates yet',
    noneText:
      'A template is a discount with a price in points, such as 5.00 off for 500 points. Customers buy it in the theme.',
    create: 'Create a template',
    created: (name: string) => `The template ${name} was created`,
    saved: 'Template saved',
    list: 'Coupon templates',
    takesOff: 'Takes off',
    price: 'Price in points',
    prefix: 'Codes begin with',
    statuses: { active: 'Can be bought', waiting: 'Not within its dates', off: 'Off' } as Record<string, string>,
    type: 'What it takes off',
    types: { percentage: 'A percentage', fixed_amount: 'An amount' } as Record<string, string>,
    percent: 'Percent',
    amount: (currency: string) => `Amount (${currency})`,
    appliesTo: 'On what',
    scopes: { all: 'The whole order', products: 'Some products', collections: 'Some collections' } as Record<
      string,
      string
    >,
    productIds: 'Products',
    collectionIds: 'Collections',
    idsHelp: 'Numbers of the platform. Enter one and press Enter',
    minimum: (currency: string) => `Least subtotal (${currency})`,
    minimumHelp: 'Empty for none',
    expires: 'Expires after days',
    expiresHelp: 'From the day it is bought; empty for never',
    starts: 'Begins',
    ends: 'Ends',
    timesHelp: (zone: string) => `In ${zone}; empty for no limit`,
    enabled: 'Points buy it',
    from: (money: string) => `from ${money}`
  },
  de: {
    about:
      'Was Punkte kaufen: Jede Vorlage ist ein Gutschein mit seinem Preis in Punkten. Eine Änderung gilt für Gutscheine, die später gekauft werden.',
    none: 'Noch keine Vorlagen',
    noneText:
      'Eine Vorlage ist ein Rabatt mit einem Preis in Punkten, etwa 5,00 für 500 Punkte. Kunden kaufen ihn im Theme.',
    create: 'Vorlage anlegen',
    created: (name) => `Die Vorlage ${name} ist angelegt`,
    saved: 'Vorlage gespeichert',
    list: 'Gutscheinvorlagen',
    takesOff: 'Zieht ab',
    price: 'Preis in Punkten',
    prefix: 'Codes beginnen mit',
    statuses: { active: 'Kann gekauft werden', waiting: 'Nicht in ihrem Zeitraum', off: 'Aus' },
    type: 'Was er abzieht',
    types: { percentage: 'Prozent', fixed_amount: 'Einen Betrag' },
    percent: 'Prozent',
    amount: (currency) => `Betrag (${currency})`,
    appliesTo: 'Worauf',
    scopes: { all: 'Die ganze Bestellung', products: 'Einige Produkte', collections: 'Einige Kollektionen' },
    productIds: 'Produkte',
    collectionIds: 'Kollektionen',
    idsHelp: 'Nummern der Plattform. Geben Sie eine ein und drücken Sie die Eingabetaste',
    minimum: (currency) => `Mindestbetrag (${currency})`,
    minimumHelp: 'Ohne Angabe keiner',
    expires: 'Läuft ab nach Tagen',
    expiresHelp: 'Ab dem Tag des Kaufs; ohne Angabe nie',
    starts: 'Beginnt',
    ends: 'Endet',
    timesHelp: (zone) => `In ${zone}; ohne Angabe keine Grenze`,
    enabled: 'Punkte kaufen ihn',
    from: (money) => `ab ${money}`
  }
})
