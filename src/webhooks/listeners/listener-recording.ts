import { DISABLE_AFTER_HOURS, RETRY_SCHEDULE } from '../delivery/delivery-retry-schedule.ts'
import type { RecordOptions } from '../sending/record-tries.ts'

/** Every delivery to a listener has its own limit of one try, and a listener is never disabled: neither value is used. */
export const LISTENER_RECORDING: RecordOptions = { schedule: RETRY_SCHEDULE, disableAfterHours: DISABLE_AFTER_HOURS }
