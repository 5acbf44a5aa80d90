import { Button, Group, TextInput } from '@mantine/core'
import type { FormEvent } from 'react'

type Props = {
  label: string
  findLabel: string
  /** A short example. */
  placeholder?: string
  /** What can be found: below the label, since a narrow field would cut it off. */
  description?: string
  title?: string
  type?: 'search'
  maxLength: number
  /** What is found now, as the address says it. */
  value: string
  onFind: (text: string) => void
}

/** A text by which something is found, when it is sent. */
export function FindField({ label, findLabel, value, onFind, ...field }: Props) {
  const find = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    onFind(String(new FormData(event.currentTarget).get('text')).trim())
  }
  return (
    <form onSubmit={find}>
      <Group align="flex-end" gap="xs" wrap="nowrap">
        <TextInput
          name="text"
          label={label}
          // Another text in the address is another field.
          key={value}
          defaultValue={value}
          flex={1}
          miw={{ xs: 260 }}
          {...field}
        />
        <Button type="submit" variant="default" aria-label={`${findLabel}: ${label}`}>
          {findLabel}
        </Button>
      </Group>
    </form>
  )
}
