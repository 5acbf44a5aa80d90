import { Skeleton } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTexts } from '../texts/language.tsx'
import { Failure } from './failure.tsx'

/** Shows what a query has read: a placeholder of about its height before, and why not when it has failed. */
export function QueryView<T>({
  query,
  height = 120,
  children
}: {
  query: UseQueryResult<T>
  height?: number
  children: (data: T) => ReactNode
}) {
  const texts = useTexts()
  if (query.data !== undefined) return children(query.data)
  if (query.isError) return <Failure error={query.error} retry={() => query.refetch()} />
  return <Skeleton height={height} role="status" aria-label={texts.app.loading} />
}
