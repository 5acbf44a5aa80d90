import { recordAddedTags, recordConsents, recordEnabledAccounts, recordTags, upsertCustomers } from '#members'
import { applyReportedTags } from '#mirror'
import {
  type ConsentPayload,
  claimRecording,
  type InboundMessage,
  parseCustomerPayload,
  parseCustomerTagsPayload
} from '#platform'
import type { SyncDeps } from '../deps.ts'
import { readUnknownCustomers } from './read-unknown-customers.ts'

/** Customers as messages have them. Those of some topics also say that an account was enabled. */
export async function applyCustomers({ db }: SyncDeps, storeId: number, messages: InboundMessage[]): Promise<void> {
  const updates = messages.map((m) => parseCustomerPayload(m.payload))
  const enabled = messages.flatMap(({ topic, triggeredAt }, i) => {
    const { id, accountState, updatedAt } = updates[i]!
    const says = topic === 'customers/enable' || topic === 'customers/create'
    return says && accountState === 'enabled' ? [{ customerId: id, at: updatedAt ?? triggeredAt }] : []
  })
  await db.inStore(storeId, async (ctx) => {
    await upsertCustomers(ctx, updates)
    await recordEnabledAccounts(ctx, enabled)
  })
}

/** Consents of customers, as `parse` reads them. */
export const applyConsents =
  (parse: (payload: unknown) => ConsentPayload) =>
  async (deps: SyncDeps, storeId: number, messages: InboundMessage[]): Promise<void> => {
    const reports = messages
      .map(({ payload }) => parse(payload))
      .flatMap(({ consent, ...about }) => (consent ? [{ ...about, consent }] : []))
    await readUnknownCustomers(
      deps,
      storeId,
      reports.map(({ customerId }) => customerId)
    )
    await deps.db.inStore(storeId, (ctx) => recordConsents(ctx, reports))
  }

/** Tags that were added to customers. */
export async function applyAddedTags(deps: SyncDeps, storeId: number, messages: InboundMessage[]): Promise<void> {
  const reports = messages.map(({ id, payload, triggeredAt }) => {
    const { customerId, tags, occurredAt } = parseCustomerTagsPayload(payload)
    return { messageId: id, customerId, tags, at: occurredAt ?? triggeredAt }
  })
  await readUnknownCustomers(
    deps,
    storeId,
    reports.map(({ customerId }) => customerId)
  )
  await deps.db.inStore(storeId, async (ctx) => {
    const claimed = await claimRecording(
      ctx,
      messages.map(({ id }) => id)
    )
    await recordAddedTags(
      ctx,
      reports.filter(({ messageId }) => claimed.has(messageId))
    )
    await recordTags(
      ctx,
      reports.map(({ messageId: _, ...report }) => ({ ...report, isPresent: true }))
    )
    await applyReportedTags(
      ctx,
      'customer',
      reports.map(({ customerId, tags }) => ({ platformId: customerId, added: tags }))
    )
  })
}

/** Tags that were removed from customers. */
export async function applyRemovedTags({ db }: SyncDeps, storeId: number, messages: InboundMessage[]): Promise<void> {
  const reported = messages.map(({ payload, triggeredAt }) => {
    const { customerId, tags, occurredAt } = parseCustomerTagsPayload(payload)
    return { customerId, tags, isPresent: false, at: occurredAt ?? triggeredAt }
  })
  await db.inStore(storeId, async (ctx) => {
    await recordTags(ctx, reported)
    await applyReportedTags(
      ctx,
      'customer',
      reported.map(({ customerId, tags }) => ({ platformId: customerId, removed: tags }))
    )
  })
}
