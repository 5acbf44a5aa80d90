import { Button, CopyButton, Group, TextInput } from '@mantine/core'
import { useTexts } from '../texts/language.tsx'

/** A value to take along, such as a key that is shown once. */
export function CopyField({ label, value }: { label: string; value: string }) {
  const { common } = useTexts()
  return (
    <Group align="flex-end" wrap="nowrap">
      <TextInput
        label={label}
        value={value}
        readOnly
        flex={1}
        ff="monospace"
        onFocus={(event) => event.currentTarget.select()}
      />
      <CopyButton value={value}>
        {({ copied, copy }) => (
          <Button variant="default" onClick={copy} aria-live="polite">
            {copied ? common.copied : common.copy}
          </Button>
        )}
      </CopyButton>
    </Group>
  )
}
