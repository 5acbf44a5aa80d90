import { areaTexts } from '../../shared/texts/area-texts.ts'

export const useMembersTexts = areaTexts({
  en: {
    columns: {
      member: 'Member',
      status: 'Status',
      plan: 'Plan',
      loyaltyTier: 'Tier',
      points: 'Points',
      credit: 'Store credit',
      memberSince: 'Member since',
      nextBilling: 'Next billing'
    },
    withoutName: 'No name',
    statuses: { active: 'Active', paused: 'Paused', cancelled: 'Cancelled' } as Record<string, string>,
    filters: 'Filters',
    csv: 'Download as CSV',
    search: 'Search',
    searchHelp: 'Name, e-mail address, telephone (+43…), order or number',
    found: 'What was found',
    foundColumns: { what: 'What', name: 'Name', status: 'Status' },
    foundKinds: { customer: 'Customer', order: 'Order', subscription: 'Subscription' } as Record<string, string>,
    nothingFound: 'Nothing is found',
    nothingFoundText:
      'Names and addresses are found by their beginning, telephone numbers with their country code (+43…), orders by their whole name or number.',
    find: 'Find',
    status: 'Status',
    clear: 'Clear filters',
    total: (count: string, isOne: boolean) => (isOne ? `${count} member` : `${count} members`),
    none: 'No members yet',
    noneText: 'A person becomes a member when they buy a plan, or when an import brings them.',
    nobody: 'No member matches these filters',
    nobodyText: 'Clear the filters to see everybody.'
  },
  de: {
    columns: {
      member: 'Mitglied',
      status: 'Status',
      plan: 'Plan',
      loyaltyTier: 'Stufe',
      points: 'Punkte',
      credit: 'Guthaben',
      memberSince: 'Mitglied seit',
      nextBilling: 'Nächste Abrechnung'
    },
    withoutName: 'Ohne Namen',
    statuses: { active: 'Aktiv', paused: 'Pausiert', cancelled: 'Gekündigt' },
    filters: 'Filter',
    csv: 'Als CSV laden',
    search: 'Suche',
    searchHelp: 'Name, E-Mail-Adresse, Telefon (+43…), Bestellung oder Nummer',
    found: 'Was gefunden wurde',
    foundColumns: { what: 'Was', name: 'Name', status: 'Status' },
    foundKinds: { customer: 'Kunde', order: 'Bestellung', subscription: 'Abonnement' },
    nothingFound: 'Nichts gefunden',
    nothingFoundText:
      'Namen und Adressen werden an ihrem Anfang gefunden, Telefonnummern mit der Vorwahl des Landes (+43…), Bestellungen an ihrem ganzen Namen oder ihrer Nummer.',
    find: 'Suchen',
    status: 'Status',
    clear: 'Filter löschen',
    total: (count, isOne) => (isOne ? `${count} Mitglied` : `${count} Mitglieder`),
    none: 'Noch keine Mitglieder',
    noneText: 'Wer einen Plan kauft, wird Mitglied; auch ein Import bringt Mitglieder.',
    nobody: 'Kein Mitglied passt zu diesen Filtern',
    nobodyText: 'Löschen Sie die Filter, um alle zu sehen.'
  }
})
