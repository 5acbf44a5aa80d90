import { Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { pageFrom } from '../../shared/api/paging.ts'
import { useSearchFilters } from '../../shared/api/search-filters.ts'
import { useKnownStore } from '../../shared/api/stores.ts'
import { useFormats } from '../../shared/format/formats.ts'
import { useTexts } from '../../shared/texts/language.tsx'
import { EmptyState } from '../../shared/ui/empty-state.tsx'
import { FilterBar } from '../../shared/ui/lists/filter-bar.tsx'
import { PagedTable } from '../../shared/ui/lists/paged-table.tsx'
import { SelectFilter } from '../../shared/ui/lists/select-filter.tsx'
import { Page } from '../../shared/ui/page.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { useColumns } from './columns.tsx'
import { attemptsQuery, STATUSES } from './queries.ts'
import { Recovery } from './recovery.tsx'
import { useBillingTexts } from './texts.ts'

/** What was charged, what failed and why, and what dunning brings back. */
export function BillingPage() {
  const { id } = useKnownStore()
  const [{ status, from, to, page }, change] = useSearchFilters(['status', 'from', 'to', 'page'])
  const filters = { status, from, to, page: pageFrom(page) }
  const found = useQuery(attemptsQuery(id, filters))
  const texts = useBillingTexts()
  const { pages, attemptStatuses } = useTexts()
  const { count } = useFormats()
  const columns = useColumns()
  const isFiltered = status !== '' || from !== '' || to !== ''

  return (
    <Page
      title={pages.billing}
      aside={found.data && <Text role="status">{texts.total(count(found.data.total), found.data.total === 1)}</Text>}
    >
      <Recovery />
      <FilterBar
        label={texts.filters}
        clearLabel={texts.clear}
        isFiltered={isFiltered}
        onClear={() => change({ status: '', from: '', to: '', page: '' })}
      >
        <SelectFilter
          label={texts.status}
          value={status}
          onChange={(next) => change({ status: next, page: '' })}
          choices={STATUSES.map((one) => [one, attemptStatuses[one]!])}
        />
        <TextInput
          type="date"
          label={texts.from}
          value={from}
          onChange={(event) => change({ from: event.currentTarget.value, page: '' })}
        />
        <TextInput
          type="date"
          label={texts.to}
          value={to}
          onChange={(event) => change({ to: event.currentTarget.value, page: '' })}
        />
      </FilterBar>
      <QueryView query={found} height={400}>
        {({ data, total }) =>
          total === 0 ? (
            <EmptyState
              title={isFiltered ? texts.nothingFound : texts.none}
              text={isFiltered ? texts.nothingFoundText : texts.noneText}
            />
          ) : (
            <PagedTable
              rows={data}
              columns={columns}
              total={total}
              page={filters.page}
              isFetching={found.isPlaceholderData}
              onPage={(next) => change({ page: next > 1 ? String(next) : '' })}
            />
          )
        }
      </QueryView>
    </Page>
  )
}
