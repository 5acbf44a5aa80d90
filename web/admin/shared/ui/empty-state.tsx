import { Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

/** What a list says while it has nothing to show: what will be there, and how it gets there. */
export function EmptyState({ title, text, children }: { title: string; text: string; children?: ReactNode }) {
  return (
    <Stack align="center" gap="xs" p="xl" maw={560} mx="auto" ta="center">
      <Title order={3} size="h4">
        {title}
      </Title>
      <Text c="dimmed">{text}</Text>
      {children}
    </Stack>
  )
}
