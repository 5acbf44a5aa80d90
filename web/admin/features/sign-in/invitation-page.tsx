import { Alert, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useSearchParams } from 'react-router'
import { ApiError } from '../../shared/api/errors.ts'
import { findInvitation } from '../../shared/session/auth.ts'
import { useTexts } from '../../shared/texts/language.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { Card } from './card.tsx'
import { InvitationForm } from './invitation-form.tsx'

/** Where the link of an invitation leads, also the one that is printed at the first start. */
export function InvitationPage() {
  const { invitation: texts, roles } = useTexts()
  const token = useTokenOfAddress()
  const invitation = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => findInvitation(token),
    enabled: token !== ''
  })

  if (token === '') {
    return (
      <Card title={texts.title}>
        <Text>{texts.missing}</Text>
      </Card>
    )
  }
  if (invitation.error instanceof ApiError && invitation.error.status < 500) {
    return (
      <Card title={texts.title}>
        <Alert color="red" variant="outline" title={texts.refused} role="alert">
          {invitation.error.message}
        </Alert>
      </Card>
    )
  }
  return (
    <Card title={texts.title}>
      <QueryView query={invitation} height={260}>
        {({ role, email }) => (
          <>
            <Text mb="md">{texts.text(roles[role])}</Text>
            <InvitationForm token={token} email={email} />
          </>
        )}
      </QueryView>
    </Card>
  )
}

/** Takes the token out of the address, so that it stays in no history and in no picture of the screen. */
function useTokenOfAddress(): string {
  const [search, setSearch] = useSearchParams()
  const [token] = useState(() => search.get('token') ?? '')
  useEffect(() => {
    if (search.has('token')) setSearch({}, { replace: true })
  }, [search, setSearch])
  return token
}
