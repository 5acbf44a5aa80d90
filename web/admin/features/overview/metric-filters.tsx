import { Group, NativeSelect, SegmentedControl } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { plansQuery } from '../../shared/api/plans.ts'
import { useKnownStore } from '../../shared/api/stores.ts'
import { useTexts } from '../../shared/texts/language.tsx'
import { PERIODS, type Period, usePeriod } from './period.ts'
import { useOverviewTexts } from './texts.ts'

/** Of which days and which plan the metrics are. */
export function MetricFilters() {
  const { id } = useKnownStore()
  const { period, plan, change } = usePeriod()
  const plans = useQuery(plansQuery(id))
  const texts = useOverviewTexts()
  const { common } = useTexts()
  return (
    <Group gap="sm" align="center">
      <SegmentedControl
        size="xs"
        aria-label={texts.period}
        value={period}
        onChange={(value) => change({ period: value })}
        data={PERIODS.map((value: Period) => ({ value, label: texts.periods[value] }))}
      />
      <NativeSelect
        size="xs"
        aria-label={texts.plan}
        value={plan}
        onChange={(event) => change({ plan: event.currentTarget.value })}
        data={[
          { value: '', label: `${texts.plan}: ${common.any}` },
          ...(plans.data ?? []).map(({ id, name }) => ({ value: id, label: name }))
        ]}
      />
    </Group>
  )
}
