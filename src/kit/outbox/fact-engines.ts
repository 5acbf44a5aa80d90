import type { Engine } from '../engines/index.ts'
import type { Consumer } from './consumer.ts'
import { type ConsumerEngineOptions, createConsumerEngine } from './consumer-engine.ts'
import { createSequencer } from './sequencer.ts'

/**
 * Brings recorded facts to every consumer: one engine gives them their order, and then each consumer has an engine of its own, so
 * that it holds up no other.
 */
export function createFactEngines({
  db,
  consumers,
  measure,
  onFailure
}: Omit<ConsumerEngineOptions, 'consumer'> & { consumers: readonly Consumer[] }): Engine[] {
  if (new Set(consumers.map((c) => c.name)).size < consumers.length) throw new Error('Two consumers have the same name')
  const engines = consumers.map((consumer) => createConsumerEngine({ db, consumer, measure, onFailure }))
  return [createSequencer({ db, consumers, next: engines }), ...engines]
}
