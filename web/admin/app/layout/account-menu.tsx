import { Button, Menu, useMantineColorScheme, VisuallyHidden } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Link } from 'react-router'
import { useStore } from '../../shared/api/stores.ts'
import { signOut } from '../../shared/session/auth.ts'
import { useMe } from '../../shared/session/me.ts'
import { LANGUAGE_NAMES, type Language, useLanguage } from '../../shared/texts/language.tsx'
import { AccountIcon } from '../../shared/ui/icons.tsx'

const SCHEMES = ['light', 'dark', 'auto'] as const

/** Who is signed in, how the interface looks, and the way out. */
export function AccountMenu() {
  const me = useMe()
  const store = useStore()
  const { texts, language, setLanguage } = useLanguage()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  // With a new page, so that nothing of this person stays in the memory of the old one.
  const leave = useMutation({ mutationFn: signOut, onSuccess: () => location.assign('/admin/') })
  const { app, roles } = texts

  return (
    // Inside of the header, so that it belongs to a landmark of the page.
    <Menu
      position="bottom-end"
      width={240}
      closeOnItemClick={false}
      withinPortal={false}
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>
        <Button variant="subtle" color="gray" c="inherit" fw={500} px="xs" leftSection={<AccountIcon />}>
          <VisuallyHidden>{app.account} </VisuallyHidden>
          <span className="account-name">{me?.person.name}</span>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {me && (
          <Menu.Label>
            {me.person.email}
            <br />
            {roles[me.role]}
          </Menu.Label>
        )}
        {store && (
          <Menu.Item component={Link} to={`/stores/${store.id}/account`} closeMenuOnClick>
            {app.yourAccount}
          </Menu.Item>
        )}
        <Menu.Divider />
        <Menu.Label>{app.colorScheme}</Menu.Label>
        <Menu.RadioGroup value={colorScheme} onChange={(scheme) => setColorScheme(scheme as typeof colorScheme)}>
          {SCHEMES.map((scheme) => (
            <Menu.RadioItem key={scheme} value={scheme}>
              {app.colorSchemes[scheme]}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Label>{app.language}</Menu.Label>
        <Menu.RadioGroup value={language} onChange={(one) => setLanguage(one as Language)}>
          {Object.entries(LANGUAGE_NAMES).map(([one, name]) => (
            <Menu.RadioItem key={one} value={one} lang={one}>
              {name}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item closeMenuOnClick disabled={leave.isPending} onClick={() => leave.mutate()}>
          {app.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
