import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'

/** Of a service that is slow or away just then, what it shows comes later. */
const READ_WITHIN_MS = 3_000

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
 * what was refused; otherwise a notification does. `isReadFirst`: what is shown is read before `onDone`, so that the next form begins with it.
 */
export function useChange<Input = void, Output = unknown>({
  change,
  done,
  onDone,
  onRefused,
  inForm = false,
  isReadFirst = false
}: {
  change: (input: Input) => Promise<Output>
  done?: string | ((output: Output) => string)
  onDone?: (output: Output) => void
  onRefused?: (err: Error) => void
  inForm?: boolean
  isReadFirst?: boolean
}): Change<Input, Output> {
  const queries = useQueryClient()
  // The state of the page is that before the first of two quick clicks.
  const isUnderWay = useRef(false)
  const { mutate, isPending, error, reset, data } = useMutation({
    meta: { inForm },
    mutationFn: change,
    onSuccess: async (output) => {
      if (done) notifications.show({ color: 'teal', message: typeof done === 'string' ? done : done(output) })
      const reading = queries.invalidateQueries()
      if (isReadFirst) await Promise.race([reading, new Promise((resolve) => setTimeout(resolve, READ_WITHIN_MS))])
      onDone?.(output)
      await reading
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
