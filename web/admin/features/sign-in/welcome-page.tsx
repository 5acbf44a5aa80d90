import { Alert, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { ApiError } from '../../shared/api/errors.ts'
import { findInvitation } from '../../shared/session/auth.ts'
import { useTexts } from '../../shared/texts/language.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { Card } from './card.tsx'
import { InvitationForm } from './invitation-form.tsx'
import { useInvitationTexts } from './invitation-texts.ts'

/** Where one-time links lead: the one that is printed at the first start, an invitation, or a new password. */
export function WelcomePage() {
  const texts = useInvitationTexts()
  const { roles } = useTexts()
  const token = useTokenOfAddress()
  const invitation = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => findInvitation(token),
    enabled: token !== ''
  })
  const title = invitation.data?.for_new_password ? texts.newPasswordTitle : texts.title

  if (token === '') {
    return (
      <Card title={title}>
        <Text>{texts.missing}</Text>
      </Card>
    )
  }
  if (invitation.error instanceof ApiError && invitation.error.status < 500) {
    return (
      <Card title={title}>
        <Alert color="red" variant="outline" title={texts.refused} role="alert">
          {invitation.error.status === 404 ? texts.isOver : invitation.error.message}
        </Alert>
      </Card>
    )
  }
  return (
    <Card title={title}>
      <QueryView query={invitation} height={260}>
        {(found) => (
          <>
            {!found.for_new_password && <Text mb="md">{texts.text(roles[found.role])}</Text>}
            <InvitationForm token={token} invitation={found} />
          </>
        )}
      </QueryView>
    </Card>
  )
}

/** The token is behind `#`. It is taken out of the address, so that it stays in no history and in no picture of the screen. */
function useTokenOfAddress(): string {
  const [token] = useState(() => decodeURIComponent(location.hash.slice(1)))
  useEffect(() => {
    if (location.hash !== '') history.replaceState(history.state, '', location.pathname)
  }, [])
  return token
}
