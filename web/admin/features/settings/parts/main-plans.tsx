import { Alert, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { plansQuery } from '../../../shared/api/plans.ts'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { FactList } from '../../../shared/ui/fact-list.tsx'
import type { Settings } from '../queries.ts'
import { useSettingsTexts } from '../texts.ts'

/** Which plans are the main ones now, and why it is not those that were chosen. */
export function MainPlans({ inEffect }: { inEffect: Settings['main_plan_in_effect'] }) {
  const { id } = useKnownStore()
  const { data: plans = [] } = useQuery(plansQuery(id))
  const { mainPlans } = useSettingsTexts()
  const nameOf = (plan: string | null) => plans.find(({ id }) => id === plan)?.name ?? plan ?? mainPlans.none
  const notes = [inEffect.vip.note, inEffect.elite.note].filter((note) => note !== null)
  return (
    <Stack gap="xs">
      <FactList
        facts={[
          [mainPlans.vip, nameOf(inEffect.vip.plan_id)],
          [mainPlans.elite, nameOf(inEffect.elite.plan_id)]
        ]}
      />
      {notes.map((note) => (
        <Alert key={note} color="yellow" variant="outline">
          <Text size="sm">{note}</Text>
        </Alert>
      ))}
    </Stack>
  )
}
