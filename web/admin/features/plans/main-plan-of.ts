import { useQuery } from '@tanstack/react-query'
import { useKnownStore } from '../../shared/api/stores.ts'
import { type Plan, plansQuery, settingsQuery } from './queries.ts'

/** Of a plan whose members get the perks of another one of its type: that one. Null while that is not known, and for every other plan. */
export function useMainPlanOf(): (plan: Pick<Plan, 'id' | 'type'>) => Plan | null {
  const { id: store } = useKnownStore()
  const { data: settings } = useQuery(settingsQuery(store))
  const { data: plans = [] } = useQuery(plansQuery(store))
  return ({ id, type }) => {
    if (!settings || type === 'product') return null
    const main = settings.main_plan_in_effect[type].plan_id
    return main === id ? null : (plans.find((one) => one.id === main) ?? null)
  }
}
