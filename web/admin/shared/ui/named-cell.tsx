import { Stack, Text } from '@mantine/core'

/** A name in a table with what it is below, as long as both may be. */
export function NamedCell({ name, about }: { name: string; about: string }) {
  return (
    <Stack gap={0} miw={140}>
      <Text size="sm" fw={500} lineClamp={3} className="wrap-anywhere">
        {name}
      </Text>
      <Text size="sm" c="dimmed" lineClamp={3} className="wrap-anywhere">
        {about}
      </Text>
    </Stack>
  )
}
