import { because } from './because.ts'

/** Discounts, gift cards, segments, bulk operations: what the sandbox deliberately lacks. */
export const LACKING_OF_DISCOUNTS: Record<string, string> = {
  ...because('', [])
}

/** Discounts, gift cards, segments, bulk operations: what is meant to differ. */
export const ACCEPTED_OF_DISCOUNTS: Record<string, string> = {
  ...because('', [])
}
