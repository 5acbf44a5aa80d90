import { Group, Stack, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { useStore } from '../api/stores.ts'
import { useTexts } from '../texts/language.tsx'

/** A page with its heading, which is also the title of the document. */
export function Page({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  const store = useStore()
  const texts = useTexts()
  const documentTitle = texts.app.documentTitle(title, store?.name ?? null)
  useEffect(() => {
    document.title = documentTitle
  }, [documentTitle])
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="center">
        <Title order={1} size="h2" lineClamp={3} className="wrap-anywhere">
          {title}
        </Title>
        {aside}
      </Group>
      {children}
    </Stack>
  )
}
