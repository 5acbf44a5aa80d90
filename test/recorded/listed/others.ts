import { because } from './because.ts'

/** Metafields, customers, products, webhooks and the other areas: what the sandbox deliberately lacks. */
export const LACKING_OF_OTHERS: Record<string, string> = {
  ...because('', [])
}

/** Metafields, customers, products, webhooks and the other areas: what is meant to differ. */
export const ACCEPTED_OF_OTHERS: Record<string, string> = {
  ...because('', [])
}
