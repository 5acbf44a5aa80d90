import { list } from '../flags.ts'

/** Which events to hear of; `all` stands for those to come too. */
export const eventTypes = list('event types such as billing.success, or all')

/** The same where leaving it out means all. */
export const eventTypesOrAll = { ...eventTypes, accepts: `${eventTypes.accepts} (default: all)` }

/** As the service takes it: null is every type. */
export function orEvery(types: string[] | undefined): string[] | null | undefined {
  return types?.join() === 'all' ? null : types
}
