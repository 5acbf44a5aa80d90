import { Text } from '@mantine/core'
import { useFormats } from '../../shared/format/formats.ts'
import { useOverviewTexts } from './texts.ts'

type Props = {
  now: number | null
  before: number | null
  /** Whether less of it is good news. */
  lessIsBetter?: boolean
  /** Whether neither is. */
  isNeutral?: boolean
  /** Whether the figure is itself a share: then it changes by percentage points. */
  isShare?: boolean
}

/** By how much a figure has changed since the period before. The words say the direction; the colour says whether it is good news. */
export function Compared({ now, before, lessIsBetter = false, isNeutral = false, isShare = false }: Props) {
  const texts = useOverviewTexts()
  const { share, points } = useFormats()
  if (now === null || before === null || (before === 0 && !isShare)) {
    return (
      <Text size="xs" c="dimmed">
        {texts.notComparable}
      </Text>
    )
  }
  const change = isShare ? now - before : (now - before) / Math.abs(before)
  if (Math.abs(change) < 0.0005) {
    return (
      <Text size="xs" c="dimmed">
        {texts.unchanged}
      </Text>
    )
  }
  const amount = isShare ? points(Math.abs(change)) : share(Math.abs(change))
  const isGood = change > 0 !== lessIsBetter
  return (
    <Text size="xs" className={isNeutral ? undefined : isGood ? 'good-news' : 'bad-news'}>
      {change > 0 ? texts.more(amount) : texts.less(amount)}
    </Text>
  )
}
