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
  /** A row of sums below the others: what is in each column, the first of them its heading. */
  sums?: ReactNode[]
}

/**
 * A short table without pages. Where it has little room each row is a list of titles and values; between that and enough room it scrolls sideways by
 * itself. The roles are written out, since a browser may forget them where the style makes something else of a table.
 */
export function PlainTable<T>({ label, columns, rows, keyOf, empty, sums }: Props<T>) {
  if (rows.length === 0) return <Text c="dimmed">{empty}</Text>
  const alignment = (isNumber: boolean | undefined) => (isNumber ? 'right' : undefined)
  return (
    // Whoever has no pointer scrolls it with the keyboard.
    <Box role="group" aria-label={label} tabIndex={0} className="wide-content table-place">
      <Table aria-label={label} role="table">
        <Table.Thead role="rowgroup">
          <Table.Tr role="row">
            {columns.map(({ title, isNumber, isAction }) => (
              <Table.Th key={title} role="columnheader" ta={alignment(isNumber)}>
                {isAction ? <VisuallyHidden>{title}</VisuallyHidden> : title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody role="rowgroup">
          {rows.map((row) => (
            <Table.Tr key={keyOf(row)} role="row">
              {columns.map(({ title, cell, isNumber, isAction }, i) => (
                // What a row begins with heads its list.
                <Table.Td
                  key={title}
                  role="cell"
                  ta={alignment(isNumber)}
                  data-title={isAction || (i === 0 && !isNumber) ? undefined : title}
                >
                  <div>{cell(row)}</div>
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
        {sums && (
          <Table.Tfoot role="rowgroup">
            <Table.Tr role="row">
              {columns.map(({ title, isNumber }, i) =>
                i === 0 ? (
                  <Table.Th key={title} role="rowheader">
                    {sums[i]}
                  </Table.Th>
                ) : (
                  <Table.Td key={title} role="cell" ta={alignment(isNumber)} fw={600} data-title={title}>
                    <div>{sums[i]}</div>
                  </Table.Td>
                )
              )}
            </Table.Tr>
          </Table.Tfoot>
        )}
      </Table>
    </Box>
  )
}
