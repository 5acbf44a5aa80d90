import type { Engine } from '#kit/engine'
import type { Database } from '#kit/postgres'

export type InboundMessage = { id: number; topic: string; payload: unknown; triggeredAt: Temporal.Instant }

/** Handles messages of one topic, oldest first, perhaps twice. When it throws, none of them counts as handled. */
export type InboundHandler = (storeId: number, messages: InboundMessage[]) => Promise<void>

export type InboundEngineOptions = { db: Database; leaseOwner: number; handlers: Record<string, InboundHandler> }

export function createInboundEngine(_options: InboundEngineOptions): Engine {
  throw new Error('being written')
}
