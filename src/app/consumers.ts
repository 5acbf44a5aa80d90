import type { Consumer } from '#kit/dispatch'
import { queueDeliveries } from '#webhooks'

/** Who hears of recorded events. A consumer runs in the transaction that marks the events as told: once per event. */
export const consumers: Consumer[] = [queueDeliveries]
