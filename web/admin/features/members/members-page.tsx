import { Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { pageFrom } from '../../shared/api/paging.ts'
import { useSearchFilters } from '../../shared/api/search-filters.ts'
import { useKnownStore } from '../../shared/api/stores.ts'
import { useFormats } from '../../shared/format/formats.ts'
import { May } from '../../shared/session/may.tsx'
import { useTexts } from '../../shared/texts/language.tsx'
import { DownloadButton } from '../../shared/ui/download-button.tsx'
import { PagedList } from '../../shared/ui/lists/paged-list.tsx'
import { Page } from '../../shared/ui/page.tsx'
import { useColumns } from './columns.tsx'
import { Found } from './found.tsx'
import { Filters } from './member-filters.tsx'
import { type MemberFilters, membersQuery } from './queries.ts'
import { useMembersTexts } from './texts.ts'

export function MembersPage() {
  const { id } = useKnownStore()
  const [{ q, status, plan, page }, change] = useSearchFilters(['q', 'status', 'plan', 'page'])
  const filters = { status, plan, page: pageFrom(page) }
  const members = useQuery({ ...membersQuery(id, filters), enabled: q === '' })
  const texts = useMembersTexts()
  const { pages } = useTexts()
  const { count } = useFormats()
  const columns = useColumns()
  const isFiltered = status !== '' || plan !== ''

  return (
    <Page
      title={pages.members}
      aside={
        members.data &&
        q === '' && (
          <Group gap="sm">
            <Text role="status">{texts.total(count(members.data.total), members.data.total === 1)}</Text>
            <May permission="support">
              <DownloadButton label={texts.csv} path={csvOf(id, filters)} fileName="members.csv" />
            </May>
          </Group>
        )
      }
    >
      <Filters filters={{ q, status, plan }} change={change} />
      {q !== '' ? (
        <Found q={q} />
      ) : (
        <PagedList
          query={members}
          columns={columns}
          page={filters.page}
          onPage={(next) => change({ page: next })}
          empty={
            isFiltered ? { title: texts.nobody, text: texts.nobodyText } : { title: texts.none, text: texts.noneText }
          }
        />
      )}
    </Page>
  )
}

/** Where the members of these filters are as a file. */
function csvOf(store: string, { status, plan }: MemberFilters): string {
  const query = new URLSearchParams({ ...(status !== '' && { status }), ...(plan !== '' && { plan_id: plan }) })
  return `/stores/${store}/members/export?${query}`
}
