import { idText, meaning } from '#kit/json-fields'

/** Whether the shop has the product is not asked: it may come and go. */
export const productId = () => meaning('The number of the product at the platform', idText())
