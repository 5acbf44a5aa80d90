import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from 'react-router'
import { useKnownStore } from '../../shared/api/stores.ts'
import { Instant } from '../../shared/format/instant.tsx'
import { useMay } from '../../shared/session/may.tsx'
import { useTexts } from '../../shared/texts/language.tsx'
import { BackLink } from '../../shared/ui/back-link.tsx'
import { CopyId } from '../../shared/ui/copy-id.tsx'
import { FactList } from '../../shared/ui/fact-list.tsx'
import { NoSuchPart } from '../../shared/ui/no-such-part.tsx'
import { Page } from '../../shared/ui/page.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { Section } from '../../shared/ui/section.tsx'
import { AccountActions } from './person/account-actions.tsx'
import { RoleForm } from './person/role-form.tsx'
import { type Person, peopleQuery } from './queries.ts'
import { useTeamTexts } from './texts.ts'

/** One account: what its owner may do, and what an owner of the installation can do for them. */
export function PersonPage() {
  const { id: store } = useKnownStore()
  const { person: id } = useParams()
  const people = useQuery(peopleQuery)
  const texts = useTeamTexts()
  return (
    <Stack gap="sm">
      <BackLink to={`/stores/${store}/team`} label={texts.toList} />
      <QueryView query={people} height={400}>
        {(known) => {
          const person = known.find((one) => one.id === id)
          return person ? <Account person={person} /> : <NoSuchPart />
        }}
      </QueryView>
    </Stack>
  )
}

function Account({ person }: { person: Person }) {
  const { timezone } = useKnownStore()
  const mayChange = useMay('install')
  const texts = useTeamTexts()
  const { roles, common } = useTexts()
  const { id, name, email, role, two_factor, locked, created_at } = person
  return (
    <Page title={name}>
      <Section title={texts.account}>
        <FactList
          facts={[
            [texts.email, email],
            [texts.role, roles[role]],
            [texts.secondFactor, two_factor ? common.yes : common.no],
            ...(locked ? [[texts.status, texts.locked] as [string, string]] : []),
            [texts.since, <Instant key="since" at={created_at} zone={timezone} />],
            [texts.id, <CopyId key="id" value={id} />]
          ]}
        />
      </Section>
      {mayChange && (
        <>
          <RoleForm key={role} person={person} />
          <AccountActions person={person} />
        </>
      )}
    </Page>
  )
}
