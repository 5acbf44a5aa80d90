import { churnConsumer } from '#churn'
import { contractGrantsConsumer } from '#contracts'
import { exportsConsumer } from '#exports'
import { loyaltyConsumer } from '#loyalty'
import { mirrorConsumers } from '#mirror'
import { orderEffectsConsumer } from '#order-effects'
import { spendingConsumer } from '#spending'
import { walletConsumer } from '#wallet'
import { webhooksConsumer } from '#webhooks'

/** Which consumer receives which facts. A consumer runs after the commit; its failure affects only itself. */
export const consumers = [
  webhooksConsumer,
  ...mirrorConsumers,
  orderEffectsConsumer,
  spendingConsumer,
  contractGrantsConsumer,
  churnConsumer,
  loyaltyConsumer,
  exportsConsumer,
  walletConsumer
]

/** Names of consumers that there were in earlier versions. What is left of them is removed; no name is used again. */
export const removedConsumers: string[] = []
