import { Badge, Group, Text } from '@mantine/core'
import { useStore } from '../../shared/api/stores.ts'
import { useFormats } from '../../shared/format/formats.ts'
import { useTexts } from '../../shared/texts/language.tsx'

/** Says that the store is no real one, and what time it is there. */
export function SandboxMark() {
  const store = useStore()
  const { app } = useTexts()
  const { time } = useFormats()
  if (!store?.sandbox) return null
  return (
    <Group gap="xs" wrap="nowrap">
      <Badge
        color="orange"
        variant="outline"
        c="var(--mantine-color-text)"
        tt="none"
        miw="max-content"
        title={app.sandboxHelp}
      >
        {app.sandbox}
      </Badge>
      {store.clock && (
        <Text size="sm" lineClamp={1}>
          <time dateTime={store.clock}>{app.sandboxClock(time(store.clock, store.timezone))}</time>
        </Text>
      )}
    </Group>
  )
}
