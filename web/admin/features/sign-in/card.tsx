import { Center, Paper, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { useTexts } from '../../shared/texts/language.tsx'

/** A page for people who are not signed in: one thing to do, in the middle. */
export function Card({ title, children }: { title: string; children: ReactNode }) {
  const { app } = useTexts()
  useEffect(() => {
    document.title = app.documentTitle(title, null)
  }, [app, title])
  return (
    <Center component="main" mih="100dvh" p="md">
      <Paper withBorder p="xl" w="100%" maw={420}>
        <Text fw={700} c="dimmed" mb="xs">
          {app.name}
        </Text>
        <Title order={1} size="h3" mb="md">
          {title}
        </Title>
        {children}
      </Paper>
    </Center>
  )
}
