import { Refusal } from '#kit/refusal'

/** Refuses an address that does not name one customer. */
export const severalWithAddress = (given: string) =>
  new Refusal('conflict', `Several customers have the address ${given}: give an id, or the platform's number`, [
    { field: 'customer', code: 'invalid', message: 'must name one customer: several have this address' }
  ])
