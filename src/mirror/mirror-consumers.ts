import { contractDiscountsConsumer } from './contract-discounts/refresh-contract-discounts.ts'
import { discountsConsumer } from './discounts/refresh-discounts.ts'
import { metafieldsConsumer } from './metafields/refresh-metafields.ts'
import { tagConsumer } from './tags/tag-consumer.ts'

/** The consumers of the mirror. */
export const mirrorConsumers = [tagConsumer, metafieldsConsumer, discountsConsumer, contractDiscountsConsumer] as const
