import { areaTexts } from '../../shared/texts/area-texts.ts'

export const useJumpTexts = areaTexts({
  en: {
    open: 'Search',
    title: 'Go to anything',
    label: 'Search members, orders, subscriptions and pages',
    placeholder: 'Name, e-mail, telephone, order, page',
    results: 'Results',
    nothing: 'Nothing is found. Addresses and names are found by their beginning.',
    kinds: { customer: 'Customer', order: 'Order', subscription: 'Subscription', page: 'Page', docs: 'Reference' },
    apiReference: 'API reference',
    count: (count: string, isOne: boolean) => (isOne ? `${count} result` : `${count} results`)
  },
  de: {
    open: 'Suchen',
    title: 'Überallhin',
    label: 'Mitglieder, Bestellungen, Abonnements und Seiten suchen',
    placeholder: 'Name, E-Mail, Bestellung, Seite',
    results: 'Treffer',
    nothing: 'Nichts gefunden. Adressen und Namen werden an ihrem Anfang gefunden.',
    kinds: { customer: 'Kunde', order: 'Bestellung', subscription: 'Abonnement', page: 'Seite', docs: 'Referenz' },
    apiReference: 'API-Referenz',
    count: (count, isOne) => (isOne ? `${count} Treffer` : `${count} Treffer`)
  }
})
