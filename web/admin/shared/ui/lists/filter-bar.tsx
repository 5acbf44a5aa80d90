import { Button, Group } from '@mantine/core'
import type { ReactNode } from 'react'

type Props = { label: string; clearLabel: string; isFiltered: boolean; onClear: () => void; children: ReactNode }

/** The filters of a list, with the way to see all of it. */
export function FilterBar({ label, clearLabel, isFiltered, onClear, children }: Props) {
  return (
    <search aria-label={label}>
      <Group align="flex-end">
        {children}
        {isFiltered && (
          <Button variant="subtle" onClick={onClear}>
            {clearLabel}
          </Button>
        )}
      </Group>
    </search>
  )
}
