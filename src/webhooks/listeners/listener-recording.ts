import { RETRY_SCHEDULE } from '../delivery/delivery-retry-schedule.ts'
import type { RecordOptions } from '../sending/record-tries.ts'

/** Every delivery to a listener has its own limit of one try: the schedule is not used. */
export const LISTENER_RECORDING: RecordOptions = { schedule: RETRY_SCHEDULE }
