import { type Consumer, consumer } from '#kit/outbox'
import { tagConsumer } from '#mirror'
import { PUBLIC_FACTS, queueDeliveries } from '#webhooks'

/** Which consumer receives which facts. A consumer runs after the commit; its failure affects only itself. */
export const consumers: Consumer[] = [consumer('webhooks', PUBLIC_FACTS, queueDeliveries, { from: 'now' }), tagConsumer]

/** Names of consumers that there were in earlier versions. What is left of them is removed; no name is used again. */
export const removedConsumers: string[] = []
