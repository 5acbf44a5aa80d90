import { Badge } from '@mantine/core'

const COLORS: Record<string, string> = {
  active: 'teal',
  enabled: 'teal',
  approved: 'teal',
  counted: 'teal',
  success: 'teal',
  delivered: 'teal',
  done: 'teal',
  ready: 'blue',
  running: 'blue',
  reading: 'blue',
  checking: 'blue',
  fetching: 'blue',
  receiving: 'yellow',
  waiting: 'yellow',
  refused: 'red',
  paused: 'yellow',
  retrying: 'yellow',
  ending: 'yellow',
  pending: 'blue',
  failing: 'red',
  failed: 'red'
}

/** A status with a colour; the word alone says it too. */
export function StatusBadge({ status, names }: { status: string; names: Record<string, string> }) {
  return (
    <Badge variant="dot" color={COLORS[status] ?? 'gray'} tt="none" fw={500} miw="max-content">
      {names[status] ?? status}
    </Badge>
  )
}
