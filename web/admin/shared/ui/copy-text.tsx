import { Button, Code, CopyButton, Group } from '@mantine/core'
import { useTexts } from '../texts/language.tsx'

/** An id as others name it, with a button that copies it. */
export function CopyText({ value }: { value: string }) {
  const { common } = useTexts()
  return (
    <Group component="span" display="inline-flex" gap={6} wrap="nowrap">
      <Code className="wrap-anywhere">{value}</Code>
      <CopyButton value={value}>
        {({ copied, copy }) => (
          <Button variant="subtle" size="compact-xs" onClick={copy} aria-label={`${common.copy}: ${value}`}>
            {copied ? common.copied : common.copy}
          </Button>
        )}
      </CopyButton>
    </Group>
  )
}
