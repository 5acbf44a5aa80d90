import { useTexts } from '../../shared/texts/language.tsx'
import { EventTypeSelect } from '../../shared/ui/event-type-select.tsx'
import { FilterBar } from '../../shared/ui/lists/filter-bar.tsx'
import { FindField } from '../../shared/ui/lists/find-field.tsx'
import type { Filters } from './queries.ts'
import { useWorkbenchTexts } from './texts.ts'

type Props = { filters: Filters; change: (filters: Partial<Filters>) => void }

export function EventFilters({ filters, change }: Props) {
  const texts = useWorkbenchTexts()
  const { common } = useTexts()
  return (
    <FilterBar
      label={texts.filters}
      clearLabel={texts.clear}
      isFiltered={Object.values(filters).some((value) => value !== '')}
      onClear={() => change({ type: '', customer: '', request: '' })}
    >
      <EventTypeSelect
        label={texts.type}
        placeholder={common.any}
        clearable
        value={filters.type}
        onChange={(type) => change({ type })}
        w={240}
      />
      <FindField
        label={texts.customer}
        description={texts.customerHelp}
        findLabel={texts.find}
        maxLength={200}
        value={filters.customer}
        onFind={(customer) => change({ customer, request: '' })}
      />
      <FindField
        label={texts.request}
        description={texts.requestHelp}
        findLabel={texts.find}
        maxLength={100}
        value={filters.request}
        onFind={(request) => change({ request, customer: '' })}
      />
    </FilterBar>
  )
}
