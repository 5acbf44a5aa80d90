import type { Ctx } from '#kit/postgres'
import { insertRequest } from './queries.ts'
import type { PrivacyTopic, Subject } from './request.ts'

type Body = {
  customer?: { id?: unknown; email?: unknown; phone?: unknown }
  orders_to_redact?: unknown
  orders_requested?: unknown
  data_request?: { id?: unknown }
}

/** Records what the platform asks for with one of its compliance topics. Who it is about is kept until it is done. */
export async function receiveCompliance(ctx: Ctx, topic: PrivacyTopic, payload: unknown): Promise<void> {
  const { customer, orders_to_redact, orders_requested, data_request } = payload as Body
  const subject: Subject | null =
    topic === 'shop/redact'
      ? null
      : {
          customerId: digits(customer?.id),
          memberId: null,
          email: words(customer?.email, 320),
          phone: words(customer?.phone, 50),
          orderNumbers: list(orders_to_redact ?? orders_requested)
        }
  const isNobody = subject && subject.customerId === null && subject.email === null && subject.phone === null
  await insertRequest(ctx, {
    topic,
    source: 'platform',
    platformRequestId: digits(data_request?.id),
    subject,
    refusedFor: isNobody ? 'The message names no customer: neither id, e-mail address nor phone' : null
  })
}

function digits(value: unknown): string | null {
  const text = typeof value === 'number' || typeof value === 'string' ? String(value) : ''
  return /^[0-9]{1,20}$/.test(text) && text !== '0' ? text : null
}

const words = (value: unknown, max: number): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value.trim().slice(0, max) : null

const list = (value: unknown): string[] => (Array.isArray(value) ? value.flatMap((one) => digits(one) ?? []) : [])
