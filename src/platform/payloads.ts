import type { Interval, PlatformCustomer, PlatformOrder } from './shapes.ts'

export type ContractPayload = {
  id: string
  status: string
  revision: string
  customerId: string
  originOrderId: string | null
  currency: string
  interval: Interval
  intervalCount: number
  minCycles: number | null
  maxCycles: number | null
}

export type AttemptPayload = {
  /** Null in the platform's samples; then the attempt is known by contract and key. */
  id: string | null
  idempotencyKey: string
  contractId: string
  orderId: string | null
  ready: boolean
  errorCode: string | null
  errorMessage: string | null
}

export function parseContractPayload(_payload: unknown): ContractPayload {
  throw new Error('being written')
}
export function parseAttemptPayload(_payload: unknown): AttemptPayload {
  throw new Error('being written')
}
export function parseOrderPayload(_payload: unknown): PlatformOrder {
  throw new Error('being written')
}
export function parseCustomerPayload(_payload: unknown): PlatformCustomer {
  throw new Error('being written')
}
