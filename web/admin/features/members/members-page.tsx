import { Button, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useKnownStore } from '../../shared/api/stores.ts'
import { useFormats } from '../../shared/format/formats.ts'
import { May } from '../../shared/session/may.tsx'
import { useTexts } from '../../shared/texts/language.tsx'
import { EmptyState } from '../../shared/ui/empty-state.tsx'
import { Page } from '../../shared/ui/page.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { useFiltersInAddress } from './filters-in-address.ts'
import { Found } from './found.tsx'
import { Filters } from './member-filters.tsx'
import { MembersTable } from './members-table.tsx'
import { type MemberFilters, membersQuery } from './queries.ts'
import { useMembersTexts } from './texts.ts'

export function MembersPage() {
  const { id } = useKnownStore()
  const [filters, change] = useFiltersInAddress()
  const members = useQuery({ ...membersQuery(id, filters), enabled: filters.q === '' })
  const texts = useMembersTexts()
  const { pages } = useTexts()
  const { count } = useFormats()
  const isFiltered = filters.status !== '' || filters.plan !== ''

  return (
    <Page
      title={pages.members}
      aside={
        members.data &&
        filters.q === '' && (
          <Group gap="sm">
            <Text role="status">{texts.total(count(members.data.total), members.data.total === 1)}</Text>
            <May permission="support">
              <Button component="a" href={csvOf(id, filters)} download variant="default" size="xs">
                {texts.csv}
              </Button>
            </May>
          </Group>
        )
      }
    >
      <Filters filters={filters} change={change} />
      {filters.q !== '' ? (
        <Found q={filters.q} />
      ) : (
        <QueryView query={members} height={400}>
          {({ data, total }) =>
            total === 0 ? (
              <EmptyState
                title={isFiltered ? texts.nobody : texts.none}
                text={isFiltered ? texts.nobodyText : texts.noneText}
              />
            ) : (
              <MembersTable
                members={data}
                total={total}
                page={filters.page}
                isFetching={members.isPlaceholderData}
                onPage={(page) => change({ page })}
              />
            )
          }
        </QueryView>
      )}
    </Page>
  )
}

/** Where the members of these filters are as a file. */
function csvOf(store: string, { status, plan }: MemberFilters): string {
  const query = new URLSearchParams({ ...(status !== '' && { status }), ...(plan !== '' && { plan_id: plan }) })
  return `/admin/api/stores/${store}/members/export?${query}`
}
