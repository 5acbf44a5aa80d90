import { useQuery } from '@tanstack/react-query'
import { plansQuery } from '../../api/plans.ts'
import { useKnownStore } from '../../api/stores.ts'
import { useTexts } from '../../texts/language.tsx'
import { SelectFilter } from './select-filter.tsx'

/** Only what belongs to one plan of the store. */
export function PlanFilter({ value, onChange }: { value: string; onChange: (plan: string) => void }) {
  const { id } = useKnownStore()
  const { data: plans = [] } = useQuery(plansQuery(id))
  const { lists } = useTexts()
  return (
    <SelectFilter
      label={lists.plan}
      value={value}
      onChange={onChange}
      choices={plans.map(({ id, name }) => [id, name] as const)}
    />
  )
}
