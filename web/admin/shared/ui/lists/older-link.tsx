import { Button, Group } from '@mantine/core'
import { Link, useSearchParams } from 'react-router'
import { useTexts } from '../../texts/language.tsx'

/** From which entry on a list is shown, as the address says it; lists of the admin API are read in parts, the newest first. */
export function useBefore(): string | undefined {
  const [search] = useSearchParams()
  return search.get('before') ?? undefined
}

/** The ways to the older part of a list and back to its newest. `next` is what the API gives for the older part. */
export function OlderLink({ next }: { next: string | null }) {
  const { common } = useTexts()
  const [search] = useSearchParams()
  const at = (before: string | null) => {
    const changed = new URLSearchParams(search)
    if (before === null) changed.delete('before')
    else changed.set('before', before)
    return { search: changed.toString() }
  }
  if (next === null && !search.has('before')) return null
  return (
    <Group justify="flex-end">
      {search.has('before') && (
        <Button component={Link} to={at(null)} variant="default" size="xs">
          {common.newest}
        </Button>
      )}
      {next !== null && (
        <Button component={Link} to={at(next)} variant="default" size="xs">
          {common.older}
        </Button>
      )}
    </Group>
  )
}
