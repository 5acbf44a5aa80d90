import { FilterBar } from '../../../shared/ui/lists/filter-bar.tsx'
import { FindField } from '../../../shared/ui/lists/find-field.tsx'
import { SelectFilter } from '../../../shared/ui/lists/select-filter.tsx'
import { useLoyaltyTexts } from '../texts.ts'

type Props<Name extends string> = {
  /** The filter beside the customer. */
  name: Name
  label: string
  words: Record<string, string>
  filters: Record<Name | 'customer', string>
  change: (change: Partial<Record<Name | 'customer', string>>) => void
}

/** The filters of a list: a customer, and one of some words. */
export function ListFilters<Name extends string>({ name, label, words, filters, change }: Props<Name>) {
  const texts = useLoyaltyTexts()
  const set = (field: Name | 'customer', value: string) =>
    change({ [field]: value } as Partial<Record<Name | 'customer', string>>)
  return (
    <FilterBar
      label={texts.filters}
      clearLabel={texts.clear}
      isFiltered={filters.customer !== '' || filters[name] !== ''}
      onClear={() => change({ customer: '', [name]: '' } as Partial<Record<Name | 'customer', string>>)}
    >
      <FindField
        label={texts.customer}
        placeholder="cust_24"
        title={texts.customerHelp}
        findLabel={texts.find}
        maxLength={330}
        value={filters.customer}
        onFind={(customer) => set('customer', customer)}
      />
      <SelectFilter
        label={label}
        value={filters[name]}
        onChange={(value) => set(name, value)}
        choices={Object.entries(words)}
      />
    </FilterBar>
  )
}
