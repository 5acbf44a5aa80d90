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
    email: 'E-mail address',
    emailHelp: 'The whole address',
    find: 'Find',
    status: 'Status',
    plan: 'Plan',
    any: 'Any',
    clear: 'Clear filters',
    total: (count: string, isOne: boolean) => (isOne ? `${count} member` : `${count} members`),
    none: 'No members yet',
    noneText: 'A person becomes a member when they buy a plan, or when an import brings them.',
    nobody: 'No member matches these filters',
    nobodyText: 'An address must be complete. Clear the filters to see everybody.'
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
    email: 'E-Mail-Adresse',
    emailHelp: 'Die ganze Adresse',
    find: 'Suchen',
    status: 'Status',
    plan: 'Plan',
    any: 'Alle',
    clear: 'Filter löschen',
    total: (count, isOne) => (isOne ? `${count} Mitglied` : `${count} Mitglieder`),
    none: 'Noch keine Mitglieder',
    noneText: 'Wer einen Plan kauft, wird Mitglied; auch ein Import bringt Mitglieder.',
    nobody: 'Kein Mitglied passt zu diesen Filtern',
    nobodyText: 'Eine Adresse muss vollständig sein. Löschen Sie die Filter, um alle zu sehen.'
  }
})
