import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { pageFrom } from '../../shared/api/paging.ts'
import { useSearchFilters } from '../../shared/api/search-filters.ts'
import { useKnownStore } from '../../shared/api/stores.ts'
import { useFormats } from '../../shared/format/formats.ts'
import { useTexts } from '../../shared/texts/language.tsx'
import { FilterBar } from '../../shared/ui/lists/filter-bar.tsx'
import { PagedList } from '../../shared/ui/lists/paged-list.tsx'
import { PlanFilter } from '../../shared/ui/lists/plan-filter.tsx'
import { SelectFilter } from '../../shared/ui/lists/select-filter.tsx'
import { Page } from '../../shared/ui/page.tsx'
import { useColumns } from './columns.tsx'
import { STATUSES, subscriptionsQuery } from './queries.ts'
import { useSubscriptionsTexts } from './texts.ts'

/** All subscriptions of a store, newest first. */
export function SubscriptionsPage() {
  const { id } = useKnownStore()
  const [{ status, plan, page }, change] = useSearchFilters(['status', 'plan', 'page'])
  const filters = { status, plan, page: pageFrom(page) }
  const found = useQuery(subscriptionsQuery(id, filters))
  const texts = useSubscriptionsTexts()
  const { pages, subscriptionStatuses } = useTexts()
  const { count } = useFormats()
  const columns = useColumns()
  const isFiltered = status !== '' || plan !== ''

  return (
    <Page
      title={pages.subscriptions}
      aside={found.data && <Text role="status">{texts.total(count(found.data.total), found.data.total === 1)}</Text>}
    >
      <FilterBar
        label={texts.filters}
        clearLabel={texts.clear}
        isFiltered={isFiltered}
        onClear={() => change({ status: '', plan: '', page: '' })}
      >
        <SelectFilter
          label={texts.status}
          value={status}
          onChange={(next) => change({ status: next, page: '' })}
          choices={STATUSES.map((one) => [one, subscriptionStatuses[one]!])}
        />
        <PlanFilter value={plan} onChange={(next) => change({ plan: next, page: '' })} />
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
