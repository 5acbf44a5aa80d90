import { Box, Table, Text, VisuallyHidden } from '@mantine/core'
import type { ReactNode } from 'react'

/** `isAction`: what can be done with the row, whose title only screen readers need. */
export type Column<T> = { title: string; cell: (row: T) => ReactNode; isNumber?: boolean; isAction?: boolean }

type Props<T> = {
  label: string
  columns: Column<T>[]
  rows: T[]
  keyOf: (row: T) => string
  empty: string
  /** Rows of sums below the others. */
  footer?: ReactNode
}

/** A short table without pages; it scrolls sideways by itself on narrow screens. */
export function PlainTable<T>({ label, columns, rows, keyOf, empty, footer }: Props<T>) {
  if (rows.length === 0) return <Text c="dimmed">{empty}</Text>
  return (
    // Whoever has no pointer scrolls it with the keyboard.
    <Box role="group" aria-label={label} tabIndex={0} className="wide-content">
      <Table aria-label={label}>
        <Table.Thead>
          <Table.Tr>
            {columns.map(({ title, isNumber, isAction }) => (
              <Table.Th key={title} ta={isNumber ? 'right' : undefined}>
                {isAction ? <VisuallyHidden>{title}</VisuallyHidden> : title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={keyOf(row)}>
              {columns.map(({ title, cell, isNumber }) => (
                <Table.Td key={title} ta={isNumber ? 'right' : undefined}>
                  {cell(row)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
        {footer && <Table.Tfoot>{footer}</Table.Tfoot>}
      </Table>
    </Box>
  )
}
