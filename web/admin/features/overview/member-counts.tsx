import { Anchor, Paper, SimpleGrid, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { useKnownStore } from '../../shared/api/stores.ts'
import { useFormats } from '../../shared/format/formats.ts'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { memberCountsQuery } from './queries.ts'
import { useOverviewTexts } from './texts.ts'

/** Members by status, each a link to their list. */
export function MemberCounts() {
  const { id } = useKnownStore()
  const counts = useQuery(memberCountsQuery(id))
  const texts = useOverviewTexts()
  const { count } = useFormats()
  return (
    <QueryView query={counts} height={96}>
      {(known) => (
        <SimpleGrid cols={{ base: 1, xs: 3 }}>
          {known.map(({ status, total }) => (
            <Paper withBorder p="md" key={status}>
              <Anchor component={Link} to={`/stores/${id}/members?status=${status}`} size="sm">
                {texts.membersOf[status]}
              </Anchor>
              <Text size="xl" fw={600}>
                {count(total)}
              </Text>
            </Paper>
          ))}
        </SimpleGrid>
      )}
    </QueryView>
  )
}
