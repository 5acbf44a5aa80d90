import { invalidField, Refusal } from '#kit/refusal'

export const receiptNotFound = (id: number | string) =>
  new Refusal('not_found', `There is no receipt ${String(id).slice(0, 100)}`)

export const noReceiptRule = () =>
  invalidField('rule_id', 'must be the id of a loyalty rule that rewards receipts', 'not_found')

export const fileSentBefore = () => invalidField('file', 'was sent before: each file counts once')

export const purchaseSentBefore = () =>
  invalidField(
    'receipt_number',
    'must be that of another purchase: a receipt of the same shop and day was sent before, with this number, or with this amount and one of both without a number'
  )

/** For an operator, who may see which one it is. */
export const samePurchase = (id: number, other: number) =>
  new Refusal('conflict', `Receipt ${id} is of the same purchase as receipt ${other}: refuse that one first`)

export const tooManyWaiting = (max: number) =>
  new Refusal(
    'conflict',
    `${max} receipts of yours wait for approval, which is the most: send more when those are decided`
  )

/** `cause`: what the disk said. */
export const storageFailed = (cause: unknown) =>
  Object.assign(
    new Refusal('unavailable', 'The file could not be stored, and nothing was changed: send the receipt again later'),
    { cause }
  )
