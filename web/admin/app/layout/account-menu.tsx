import { Button, Menu, useMantineColorScheme } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { signOut } from '../../shared/session/auth.ts'
import { useMe } from '../../shared/session/me.ts'
import { LANGUAGE_NAMES, type Language, useLanguage } from '../../shared/texts/language.tsx'
import { AccountIcon, CheckIcon } from '../../shared/ui/icons.tsx'

const SCHEMES = ['light', 'dark', 'auto'] as const

/** Who is signed in, how the interface looks, and the way out. */
export function AccountMenu() {
  const me = useMe()
  const { texts, language, setLanguage } = useLanguage()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  // With a new page, so that nothing of this person stays in the memory of the old one.
  const leave = useMutation({ mutationFn: signOut, onSuccess: () => location.assign('/admin/') })
  const { app, roles } = texts

  return (
    <Menu position="bottom-end" width={240} closeOnItemClick={false}>
      <Menu.Target>
        <Button variant="subtle" color="gray" c="inherit" px="xs" leftSection={<AccountIcon />} aria-label={app.account}>
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
        <Menu.Divider />
        <Menu.Label>{app.colorScheme}</Menu.Label>
        {SCHEMES.map((scheme) => (
          <Choice key={scheme} isChosen={scheme === colorScheme} onClick={() => setColorScheme(scheme)}>
            {app.colorSchemes[scheme]}
          </Choice>
        ))}
        <Menu.Divider />
        <Menu.Label>{app.language}</Menu.Label>
        {(Object.keys(LANGUAGE_NAMES) as Language[]).map((one) => (
          <Choice key={one} isChosen={one === language} onClick={() => setLanguage(one)}>
            <span lang={one}>{LANGUAGE_NAMES[one]}</span>
          </Choice>
        ))}
        <Menu.Divider />
        <Menu.Item closeMenuOnClick disabled={leave.isPending} onClick={() => leave.mutate()}>
          {app.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

type ChoiceProps = { isChosen: boolean; onClick: () => void; children: React.ReactNode }

const Choice = ({ isChosen, onClick, children }: ChoiceProps) => (
  <Menu.Item role="menuitemradio" aria-checked={isChosen} onClick={onClick} rightSection={isChosen && <CheckIcon />}>
    {children}
  </Menu.Item>
)
