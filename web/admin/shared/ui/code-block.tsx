import { Box, Button, CopyButton, Group, Stack, Text } from '@mantine/core'
import { useId } from 'react'
import { useTexts } from '../texts/language.tsx'

/** A text to read or take along as it is: a payload, a command. Whoever has no pointer scrolls it with the keyboard. */
export function CodeBlock({ label, text, copyText = text }: { label: string; text: string; copyText?: string }) {
  const { common } = useTexts()
  const id = useId()
  return (
    <Stack gap={4}>
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm" fw={500} id={id}>
          {label}
        </Text>
        <CopyButton value={copyText}>
          {({ copied, copy }) => (
            <Button variant="subtle" size="compact-xs" onClick={copy} aria-live="polite" aria-describedby={id}>
              {copied ? common.copied : common.copy}
            </Button>
          )}
        </CopyButton>
      </Group>
      <Box component="pre" className="code-block" role="region" aria-labelledby={id} tabIndex={0}>
        {text}
      </Box>
    </Stack>
  )
}
