import { Anchor, Badge, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { Instant } from '../../../shared/format/instant.tsx'
import { useMay } from '../../../shared/session/may.tsx'
import { useMe } from '../../../shared/session/me.ts'
import { useTexts } from '../../../shared/texts/language.tsx'
import { PlainTable } from '../../../shared/ui/lists/plain-table.tsx'
import { QueryView } from '../../../shared/ui/query-view.tsx'
import { type Person, peopleQuery } from '../queries.ts'
import { useTeamTexts } from '../texts.ts'

/** Everybody who has an account. */
export function People() {
  const { timezone } = useKnownStore()
  const people = useQuery(peopleQuery)
  const texts = useTeamTexts()
  const { roles, common } = useTexts()
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed" maw={720}>
        {texts.text}
      </Text>
      <QueryView query={people}>
        {(known) => (
          <PlainTable
            label={texts.tabs.people}
            rows={known}
            keyOf={({ id }) => id}
            empty=""
            columns={[
              { title: texts.name, cell: (person) => <Name person={person} /> },
              { title: texts.role, cell: ({ role }) => roles[role] },
              { title: texts.secondFactor, cell: ({ two_factor }) => (two_factor ? common.yes : common.no) },
              {
                title: texts.since,
                cell: ({ created_at }) => <Instant at={created_at} zone={timezone} dayOnly />
              }
            ]}
          />
        )}
      </QueryView>
    </Stack>
  )
}

function Name({ person }: { person: Person }) {
  const { id: store } = useKnownStore()
  const mayChange = useMay('install')
  const me = useMe()
  const texts = useTeamTexts()
  const { id, name, email, locked } = person
  return (
    <Stack gap={0} miw={160}>
      {mayChange ? (
        <Anchor component={Link} to={`/stores/${store}/team/people/${id}`} size="sm" fw={500} lineClamp={2}>
          {name}
        </Anchor>
      ) : (
        <Text size="sm" fw={500} lineClamp={2}>
          {name}
        </Text>
      )}
      <Text size="xs" c="dimmed" className="wrap-anywhere">
        {email} {me?.person?.id === id && `· ${texts.you}`}
      </Text>
      {locked && (
        <Badge variant="dot" color="red" tt="none" fw={500} miw="max-content">
          {texts.locked}
        </Badge>
      )}
    </Stack>
  )
}
