import { invalidField, Refusal } from '#kit/refusal'
import type { Platform } from '../http.ts'
import type { Shop } from '../shop.ts'
import { isNumericId } from '../wire/gid.ts'

export async function shopOf({ shops }: Platform, storeId: number): Promise<Shop> {
  const shop = await shops.find(storeId)
  if (!shop) throw new Refusal('not_found', `Store ${storeId} has no sandbox shop`)
  return shop
}

/** A numeric id, given as digits or as a gid. */
export function idFrom(field: string, given: string): string {
  const id = given.replace(/^gid:\/\/[a-z]+\/[A-Za-z]+\//, '')
  if (!isNumericId(id)) throw invalidField(field, "must be the platform's numeric id")
  return id
}

export const customerNotFound = (id: string) => new Refusal('not_found', `There is no sandbox customer ${id}`)
/** The platform words neither: its schema only says that customers with store credit or gift cards cannot be merged. */
export const hasStoreCredit = (id: string, amount: string) =>
  new Refusal('conflict', `Customers with store credit cannot be merged: customer ${id} has ${amount}`)
export const hasGiftCards = (id: string) =>
  new Refusal('conflict', `Customers with gift cards cannot be merged: customer ${id} has one`)
export const orderNotFound = (id: string) => new Refusal('not_found', `There is no sandbox order ${id}`)
export const planNotFound = (plan: string, known: string[]) =>
  new Refusal(
    'not_found',
    `There is no plan ${plan}; ${known.length > 0 ? `the shop sells ${known.join(', ')}` : 'the shop sells none yet'}`
  )
export const cardDeclined = (outcome: string) =>
  new Refusal('conflict', `The checkout was declined: the customer's card is set to ${outcome}`)
export const alreadyHeld = (plan: string, contractId: string) =>
  new Refusal('conflict', `You already have ${plan} (contract ${contractId}): nothing was charged`)
export const cancelledByCustomer = (plan: string, contractId: string) =>
  new Refusal(
    'conflict',
    `You cancelled ${plan}; take the cancellation back on the membership page (contract ${contractId}): nothing was charged`
  )
export const checkoutNotFound = () => new Refusal('not_found', 'There is no such checkout')
export const checkoutDecided = () => new Refusal('conflict', 'This payment is not waiting for a decision')
