import { list } from '../flags.ts'

/** Event types to receive; `all` includes future types. */
export const eventTypes = list('event types such as billing.success, or all')

/** The same where leaving it out means all. */
export const eventTypesOrAll = { ...eventTypes, accepts: `${eventTypes.accepts} (default: all)` }

/** The value for the API, where null means every type. */
export function orEvery(types: string[] | undefined): string[] | null | undefined {
  return types?.join() === 'all' ? null : types
}
