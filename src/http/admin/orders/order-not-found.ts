import { Refusal } from '#kit/refusal'

export const orderNotFound = (id: string) => new Refusal('not_found', `There is no order ${id.slice(0, 100)}`)
