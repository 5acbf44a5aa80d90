import { Select, type SelectProps } from '@mantine/core'
import { type EventType, eventTypeGroups, useEventTypeTexts } from '../texts/event-types.ts'

type Props = Omit<SelectProps, 'data' | 'value' | 'onChange'> & {
  value: string
  onChange: (type: EventType | '') => void
}

/** One type of events, with what it means below. */
export function EventTypeSelect({ value, onChange, ...props }: Props) {
  const texts = useEventTypeTexts()
  return (
    <Select
      data={eventTypeGroups(texts)}
      value={value || null}
      onChange={(type) => onChange((type ?? '') as EventType | '')}
      searchable
      {...props}
    />
  )
}
