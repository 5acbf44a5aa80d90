import { Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { pageFrom } from '../../shared/api/paging.ts'
import { useSearchFilters } from '../../shared/api/search-filters.ts'
import { useKnownStore } from '../../shared/api/stores.ts'
import { useFormats } from '../../shared/format/formats.ts'
import { useTexts } from '../../shared/texts/language.tsx'
import { FilterBar } from '../../shared/ui/lists/filter-bar.tsx'
import { PagedList } from '../../shared/ui/lists/paged-list.tsx'
import { SelectFilter } from '../../shared/ui/lists/select-filter.tsx'
import { Page } from '../../shared/ui/page.tsx'
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
      <PagedList
        query={found}
        columns={columns}
        page={filters.page}
        onPage={(next) => change({ page: next })}
        empty={
          isFiltered
            ? { title: texts.nothingFound, text: texts.nothingFoundText }
            : { title: texts.none, text: texts.noneText }
        }
      />
    </Page>
  )
}
