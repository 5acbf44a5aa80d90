import { AppShell, Box, Burger, Group, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { Outlet, ScrollRestoration, useLocation } from 'react-router'
import { storesQuery, useStore } from '../../shared/api/stores.ts'
import { useTexts } from '../../shared/texts/language.tsx'
import { Page } from '../../shared/ui/page.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { Jump } from '../jump/jump.tsx'
import { lastStore } from '../last-store.ts'
import { AccountMenu } from './account-menu.tsx'
import { Navigation } from './navigation.tsx'
import { SandboxMark } from './sandbox-mark.tsx'
import { ServiceBanner } from './service-banner.tsx'
import { StoreSwitcher } from './store-switcher.tsx'

/** Header, navigation and the page of a store. On narrow screens the navigation is behind a button. */
export function AppLayout() {
  const { app } = useTexts()
  const [isOpen, { toggle, close }] = useDisclosure()
  const main = useFocusAfterNavigation(close)
  const store = useStore()
  useEffect(() => {
    if (store) lastStore.set(store.id)
  }, [store])

  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 240, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'md', lg: 'xl' }}
    >
      <a className="skip-link" href="#content">
        {app.skipToContent}
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group wrap="nowrap" gap="sm">
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={isOpen ? app.closeNavigation : app.openNavigation}
              aria-expanded={isOpen}
            />
            <Text fw={700} visibleFrom="xs">
              {app.name}
            </Text>
            <SandboxMark />
          </Group>
          <Group wrap="nowrap" gap="xs">
            {store && <Jump />}
            <AccountMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" aria-label={app.navigation}>
        <StoreSwitcher />
        <Navigation />
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1} ref={main}>
        <ServiceBanner />
        <Box maw={1400} mx="auto">
          <KnownStore />
        </Box>
      </AppShell.Main>
      <ScrollRestoration />
    </AppShell>
  )
}

/** The page, when the store of its address is known. */
function KnownStore() {
  const stores = useQuery(storesQuery)
  const store = useStore()
  const { pathname } = useLocation()
  const { errors } = useTexts()
  return (
    <QueryView query={stores} height={300}>
      {() =>
        store ? (
          // Another page is another one, also of the same kind: no dialog or form of the one before stays over it.
          <Outlet key={pathname} />
        ) : (
          <Page title={errors.storeNotFoundTitle}>
            <Text>{errors.storeNotFoundText}</Text>
          </Page>
        )
      }
    </QueryView>
  )
}

/** Whoever uses a keyboard or a screen reader is at the new page after a link, not behind the navigation. */
function useFocusAfterNavigation(onNavigation: () => void) {
  const main = useRef<HTMLElement>(null)
  const { pathname } = useLocation()
  const shown = useRef(pathname)
  useEffect(() => {
    if (shown.current === pathname) return
    shown.current = pathname
    onNavigation()
    main.current?.focus({ preventScroll: true })
  }, [pathname, onNavigation])
  return main
}
