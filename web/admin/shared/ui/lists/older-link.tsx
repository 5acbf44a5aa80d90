import { Button, Group } from '@mantine/core'
import { Link, useSearchParams } from 'react-router'
import { useTexts } from '../../texts/language.tsx'

/**
 * From which entry on a list is shown, as the address says it; lists of the admin API are read in parts, the newest first. `parameter`: of the
 * second list of a page.
 */
export function useBefore(parameter = 'before'): string | undefined {
  const [search] = useSearchParams()
  return search.get(parameter) ?? undefined
}

/** The ways to the older part of a list and back to its newest. `next` is what the API gives for the older part. */
export function OlderLink({ next, parameter = 'before' }: { next: string | null; parameter?: string }) {
  const { common } = useTexts()
  const [search] = useSearchParams()
  const at = (before: string | null) => {
    const changed = new URLSearchParams(search)
    if (before === null) changed.delete(parameter)
    else changed.set(parameter, before)
    return { search: changed.toString() }
  }
  if (next === null && !search.has(parameter)) return null
  return (
    <Group justify="flex-end">
      {search.has(parameter) && (
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
