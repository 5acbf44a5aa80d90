import { decimalOf } from '#kit/money'
import type { Shop } from '../shop.ts'
import type { Dispute } from '../state/disputes.ts'
import { formsOf, number } from './json.ts'

/** The body of disputes/create and update. */
export function disputePayload(shop: Shop, dispute: Dispute) {
  const form = formsOf(shop)
  return {
    id: number(dispute.id),
    order_id: number(dispute.orderId),
    type: dispute.type.toLowerCase(),
    amount: decimalOf(dispute.amountMinor, dispute.currency),
    currency: dispute.currency,
    reason: dispute.reason.toLowerCase(),
    network_reason_code: dispute.networkReasonCode,
    status: dispute.status.toLowerCase(),
    evidence_due_by: form.atOrNull(dispute.evidenceDueBy),
    evidence_sent_on: form.atOrNull(dispute.evidenceSentOn),
    finalized_on: form.atOrNull(dispute.finalizedOn),
    initiated_at: form.at(dispute.initiatedAt)
  }
}
