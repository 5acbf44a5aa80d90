import { NavLink as Entry, Stack } from '@mantine/core'
import { NavLink, useParams } from 'react-router'
import { useTexts } from '../../shared/texts/language.tsx'
import { LoyaltyIcon, MembersIcon, OverviewIcon, PlansIcon, RetentionIcon } from '../../shared/ui/icons.tsx'

const ENTRIES = [
  { page: 'overview', path: '', Icon: OverviewIcon },
  { page: 'members', path: '/members', Icon: MembersIcon },
  { page: 'plans', path: '/plans', Icon: PlansIcon },
  { page: 'retention', path: '/retention', Icon: RetentionIcon },
  { page: 'loyalty', path: '/loyalty', Icon: LoyaltyIcon }
] as const

/** The pages of a store. */
export function Navigation() {
  const { store } = useParams()
  const { pages } = useTexts()
  return (
    <Stack gap={4} mt="sm">
      {ENTRIES.map(({ page, path, Icon }) => (
        <NavLink key={page} to={`/stores/${store}${path}`} end={path === ''} className="entry">
          {({ isActive }) => (
            // The colour of the text stays: on the tint its own would have too little contrast.
            <Entry component="span" label={pages[page]} leftSection={<Icon />} active={isActive} c="inherit" />
          )}
        </NavLink>
      ))}
    </Stack>
  )
}
