import { Container, Text, VisuallyHidden } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { Outlet } from 'react-router'
import { isSignInNeeded } from '../../shared/api/session-gate.ts'
import { meQuery } from '../../shared/session/me.ts'
import { useTexts } from '../../shared/texts/language.tsx'
import { Dialog } from '../../shared/ui/dialog.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { passGate } from './pass-gate.ts'
import { SignInForm } from './sign-in-form.tsx'
import { SignInPage } from './sign-in-page.tsx'

/** Pages for people who are signed in. When a session ends, the page stays behind the dialog in which they sign in again. */
export function SignedInOnly() {
  const me = useQuery(meQuery)
  const isNeeded = useSyncExternalStore(isSignInNeeded.subscribe, isSignInNeeded.get)
  const { app, signIn } = useTexts()
  useSignInElsewhere(isNeeded)

  if (isNeeded && !me.data) return <SignInPage />
  if (!me.data) {
    return (
      <Container size="sm" py="xl" component="main">
        <VisuallyHidden component="h1">{app.name}</VisuallyHidden>
        <QueryView query={me} height={300}>
          {() => null}
        </QueryView>
      </Container>
    )
  }
  return (
    <>
      <Outlet />
      <Dialog title={signIn.title} isOpen={isNeeded} isOverOthers>
        <Text size="sm" mb="md">
          {signIn.again}
        </Text>
        <SignInForm email={me.data.person?.email ?? ''} />
      </Dialog>
    </>
  )
}

/** Whoever has signed in in another tab need not do it here too. */
function useSignInElsewhere(isNeeded: boolean) {
  const queries = useQueryClient()
  useEffect(() => {
    if (!isNeeded) return
    const look = () => void passGate(queries).catch(() => {})
    window.addEventListener('focus', look)
    return () => window.removeEventListener('focus', look)
  }, [isNeeded, queries])
}
