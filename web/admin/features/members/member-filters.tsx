import { FilterBar } from '../../shared/ui/lists/filter-bar.tsx'
import { FindField } from '../../shared/ui/lists/find-field.tsx'
import { PlanFilter } from '../../shared/ui/lists/plan-filter.tsx'
import { SelectFilter } from '../../shared/ui/lists/select-filter.tsx'
import { STATUSES } from './queries.ts'
import { useMembersTexts } from './texts.ts'

type Filters = { q: string; status: string; plan: string }
type Props = { filters: Filters; change: (filters: Partial<Filters & { page: string }>) => void }

/** A search is among everybody; a filter is of the list of members. */
export function Filters({ filters: { q, status, plan }, change }: Props) {
  const texts = useMembersTexts()
  return (
    <FilterBar
      label={texts.filters}
      clearLabel={texts.clear}
      isFiltered={q !== '' || status !== '' || plan !== ''}
      onClear={() => change({ q: '', status: '', plan: '', page: '' })}
    >
      <FindField
        type="search"
        label={texts.search}
        description={texts.searchHelp}
        findLabel={texts.find}
        maxLength={320}
        value={q}
        onFind={(text) => change({ q: text, status: '', plan: '', page: '' })}
      />
      <SelectFilter
        label={texts.status}
        value={status}
        onChange={(next) => change({ q: '', status: next, page: '' })}
        choices={STATUSES.map((one) => [one, texts.statuses[one]!])}
      />
      <PlanFilter value={plan} onChange={(next) => change({ q: '', plan: next, page: '' })} />
    </FilterBar>
  )
}
