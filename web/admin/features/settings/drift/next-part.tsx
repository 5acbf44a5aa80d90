import { Button, Group } from '@mantine/core'
import { Link, useSearchParams } from 'react-router'
import { useSettingsTexts } from '../texts.ts'

/** From where on a comparison goes, as the address says it; each of them has a name of its own there. */
export function usePlace(name: string): [string | undefined, (place: string | null) => { search: string }] {
  const [search] = useSearchParams()
  const at = (place: string | null) => {
    const changed = new URLSearchParams(search)
    if (place === null) changed.delete(name)
    else changed.set(name, place)
    return { search: changed.toString() }
  }
  return [search.get(name) ?? undefined, at]
}

/** The way to the next part of a comparison, and back to its first. */
export function NextPart({ name, next }: { name: string; next: string | null }) {
  const [place, at] = usePlace(name)
  const { drift } = useSettingsTexts()
  if (next === null && place === undefined) return null
  return (
    <Group justify="flex-end">
      {place !== undefined && (
        <Button component={Link} to={at(null)} variant="default" size="xs">
          {drift.firstPart}
        </Button>
      )}
      {next !== null && (
        <Button component={Link} to={at(next)} variant="default" size="xs">
          {drift.nextPart}
        </Button>
      )}
    </Group>
  )
}
