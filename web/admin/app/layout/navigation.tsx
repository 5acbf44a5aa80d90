import { NavLink as Entry, Stack } from '@mantine/core'
import { NavLink, useParams } from 'react-router'
import { useStore } from '../../shared/api/stores.ts'
import { useTexts } from '../../shared/texts/language.tsx'
import { entriesOf } from '../navigation-entries.ts'

/** The pages of a store. */
export function Navigation() {
  const { store } = useParams()
  const { pages } = useTexts()
  return (
    <Stack gap={4} mt="sm">
      {entriesOf(useStore()).map(({ page, path, Icon }) => (
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
