import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'

export type Change<Input, Output> = {
  /** Asks for the change. A second call while one is under way does nothing. */
  start: (input: Input) => void
  isPending: boolean
  error: Error | null
  reset: () => void
  /** The latest answer. */
  data: Output | undefined
}

/**
 * A change by the admin API. All that is shown is read again after it. `done` says in a notification that it was made. `inForm`: its form shows
 * what was refused; otherwise a notification does.
 */
export function useChange<Input = void, Output = unknown>({
  change,
  done,
  onDone,
  onRefused,
  inForm = false
}: {
  change: (input: Input) => Promise<Output>
  done?: string | ((output: Output) => string)
  onDone?: (output: Output) => void
  onRefused?: (err: Error) => void
  inForm?: boolean
}): Change<Input, Output> {
  const queries = useQueryClient()
  // The state of the page is that before the first of two quick clicks.
  const isUnderWay = useRef(false)
  const { mutate, isPending, error, reset, data } = useMutation({
    meta: { inForm },
    mutationFn: change,
    onSuccess: async (output) => {
      if (done) notifications.show({ color: 'teal', message: typeof done === 'string' ? done : done(output) })
      onDone?.(output)
      await queries.invalidateQueries()
    },
    onSettled: () => {
      isUnderWay.current = false
    },
    ...(onRefused && { onError: onRefused })
  })
  const start = (input: Input) => {
    if (isUnderWay.current) return
    isUnderWay.current = true
    mutate(input)
  }
  return { start, isPending, error, reset, data }
}
