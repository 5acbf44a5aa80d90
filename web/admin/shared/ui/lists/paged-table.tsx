import 'mantine-datatable/styles.css'
import { DataTable, type DataTableColumn } from 'mantine-datatable'
import { PAGE_SIZE } from '../../api/paging.ts'
import { useFormats } from '../../format/formats.ts'
import { useTexts } from '../../texts/language.tsx'

type Queries = { breakpoints: Record<string, string> }

/** Columns that leave on narrow screens, where the page of the row has them. */
export const WIDE = ({ breakpoints }: Queries) => `(min-width: ${breakpoints.lg})`
export const NOT_NARROW = ({ breakpoints }: Queries) => `(min-width: ${breakpoints.sm})`

type Props<Row> = {
  rows: Row[]
  columns: DataTableColumn<Row>[]
  total: number
  page: number
  /** Whether another page is being read: the rows are those of the one before. */
  isFetching: boolean
  onPage: (page: number) => void
}

/** A page of a list whose total is known. */
export function PagedTable<Row extends { id: string }>({ rows, columns, total, page, isFetching, onPage }: Props<Row>) {
  const { lists } = useTexts()
  const { count } = useFormats()
  return (
    <DataTable
      records={rows}
      columns={columns}
      idAccessor="id"
      fetching={isFetching}
      withTableBorder
      verticalSpacing="xs"
      totalRecords={total}
      recordsPerPage={PAGE_SIZE}
      page={page}
      onPageChange={onPage}
      paginationText={({ from, to, totalRecords }) => lists.range(count(from), count(to), count(totalRecords))}
      getPaginationControlProps={(control) => ({
        'aria-label': {
          first: lists.firstPage,
          last: lists.lastPage,
          previous: lists.previousPage,
          next: lists.nextPage
        }[control]
      })}
      noRecordsText=""
    />
  )
}
