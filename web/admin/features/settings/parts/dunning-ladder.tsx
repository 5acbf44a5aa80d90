import { Text } from '@mantine/core'
import { useFormats } from '../../../shared/format/formats.ts'
import { useSettingsTexts } from '../texts.ts'

/** The tries after a failed charge on a line, each with its day; what is typed is drawn at once. `days`: from each to the next. */
export function DunningLadder({ days, end }: { days: number[]; end: string }) {
  const { ladder } = useSettingsTexts()
  const { count } = useFormats()
  if (!days.every((day) => Number.isSafeInteger(day) && day > 0)) return null
  const onDays = days.map((_, i) => days.slice(0, i + 1).reduce((sum, day) => sum + day))
  const last = onDays.at(-1) ?? 0
  return (
    <div>
      <Text size="sm" fw={500} mb="xs">
        {ladder.title}
      </Text>
      <ol className="ladder">
        <Step day={ladder.day(count(0))} what={ladder.first} />
        {onDays.map((day, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a try is its place in the ladder
          <Step key={i} day={ladder.day(count(day))} what={ladder.nth(count(i + 2))} />
        ))}
        <Step day={ladder.after(count(last))} what={end} isEnd />
      </ol>
    </div>
  )
}

function Step({ day, what, isEnd = false }: { day: string; what: string; isEnd?: boolean }) {
  return (
    <li className={isEnd ? 'end' : undefined}>
      <Text size="sm" fw={isEnd ? 600 : 400}>
        {what}
      </Text>
      <Text size="xs" c="dimmed">
        {day}
      </Text>
    </li>
  )
}
