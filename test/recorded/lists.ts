import { because } from './listed/because.ts'
import { ACCEPTED_OF_DISCOUNTS, LACKING_OF_DISCOUNTS } from './listed/discounts-and-bulk.ts'
import { ACCEPTED_OF_OTHERS, LACKING_OF_OTHERS } from './listed/others.ts'

/**
 * What the sandbox deliberately does not have, with the reason: fields by type and name, types as `... on Type`. An entry that the sandbox
 * does have, or that no recorded call asks for, fails.
 */
export const LACKING: Record<string, string> = { ...LACKING_OF_DISCOUNTS, ...LACKING_OF_OTHERS }

/** Differences that are meant, by file, call and place in the answer, with the reason. One that no longer exists fails. */
export const ACCEPTED: Record<string, string> = { ...ACCEPTED_OF_DISCOUNTS, ...ACCEPTED_OF_OTHERS }

/** Fields that documents of an earlier API version ask for in a way that is refused by now. They are taken out, like what is lacking. */
export const CHANGED: Record<string, string> = because(
  'a text once, and an object by now, of which fields must be chosen',
  ['StoreCreditAccountCreditTransaction.origin', 'StoreCreditAccountDebitTransaction.origin']
)
