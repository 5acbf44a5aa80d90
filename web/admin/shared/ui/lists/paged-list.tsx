import type { UseQueryResult } from '@tanstack/react-query'
import type { DataTableColumn } from 'mantine-datatable'
import { EmptyState } from '../empty-state.tsx'
import { QueryView } from '../query-view.tsx'
import { PagedTable } from './paged-table.tsx'

type Props<Row> = {
  query: UseQueryResult<{ data: Row[]; total: number }>
  columns: DataTableColumn<Row>[]
  page: number
  /** The page as the address has it; the first one is not in it. */
  onPage: (page: string) => void
  /** What is said while there is nothing. */
  empty: { title: string; text: string }
}

/** A list that is read page by page. */
export function PagedList<Row extends { id: string }>({ query, columns, page, onPage, empty }: Props<Row>) {
  return (
    <QueryView query={query} height={400}>
      {({ data, total }) =>
        total === 0 ? (
          <EmptyState {...empty} />
        ) : (
          <PagedTable
            rows={data}
            columns={columns}
            total={total}
            page={page}
            isFetching={query.isPlaceholderData}
            onPage={(next) => onPage(next > 1 ? String(next) : '')}
          />
        )
      }
    </QueryView>
  )
}
