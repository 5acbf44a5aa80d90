import { Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'

/** What a list says while it has nothing to show: what will be there, and how it gets there. */
export function EmptyState({ title, text, children }: { title: string; text: string; children?: ReactNode }) {
  return (
    <Stack align="center" gap="xs" p="lg" maw={560} mx="auto" ta="center">
      <Text fw={600}>{title}</Text>
      <Text c="dimmed">{text}</Text>
      {children}
    </Stack>
  )
}
