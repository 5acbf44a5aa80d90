import { Anchor, Group } from '@mantine/core'
import { Link } from 'react-router'
import { BackIcon } from './icons.tsx'

/** From a page about one thing to the list that has it. */
export function BackLink({ to, label }: { to: string; label: string }) {
  return (
    <Anchor component={Link} to={to} size="sm">
      <Group gap={4} component="span">
        <BackIcon size={14} />
        {label}
      </Group>
    </Anchor>
  )
}
