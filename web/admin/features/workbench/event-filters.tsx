import { useTexts } from '../../shared/texts/language.tsx'
import { EventTypeSelect } from '../../shared/ui/event-type-select.tsx'
import { FilterBar } from '../../shared/ui/lists/filter-bar.tsx'
import { FindField } from '../../shared/ui/lists/find-field.tsx'
import { useWorkbenchTexts } from './texts.ts'

type Filters = { type: string; customer: string }
type Props = { filters: Filters; change: (filters: Partial<Filters>) => void }

export function EventFilters({ filters, change }: Props) {
  const texts = useWorkbenchTexts()
  const { common } = useTexts()
  return (
    <FilterBar
      label={texts.filters}
      clearLabel={texts.clear}
      isFiltered={filters.type !== '' || filters.customer !== ''}
      onClear={() => change({ type: '', customer: '' })}
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
        placeholder={texts.customerHelp}
        findLabel={texts.find}
        maxLength={200}
        value={filters.customer}
        onFind={(customer) => change({ customer })}
      />
    </FilterBar>
  )
}
