import { DISABLE_AFTER_HOURS, RETRY_SCHEDULE } from '../delivery/retry-schedule.ts'
import type { RecordOptions } from '../sending/record-tries.ts'

/** Every delivery to a terminal says itself that it is tried once, and a terminal is never disabled: neither comes to bear. */
export const LISTENER_RECORDING: RecordOptions = { schedule: RETRY_SCHEDULE, disableAfterHours: DISABLE_AFTER_HOURS }
