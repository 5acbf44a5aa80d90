export { assertAllowedCountry, assertHolderAllowed, checkCountry } from './allowed-country.ts'
export { type CustomerUpdate, customerKey, customerPayload, type KnownCustomer } from './customer.ts'
export { eraseCustomers } from './erase-customers.ts'
export { findErasedCustomers } from './erased-customers.ts'
export { tierChanged } from './events/tier-changed.ts'
export {
  type CustomerIdReference,
  findCustomerId,
  findCustomers,
  findKeptCustomerId,
  findKeptCustomers,
  parseCustomerId
} from './find-customer-id.ts'
export { followMerges, lockKeptCustomer } from './follow-merges.ts'
export { insertMissingCustomers } from './insert-missing-customers.ts'
export { type LookedUpCustomer, lookUpCustomers } from './look-up-customers.ts'
export { type MergedCustomers, markCustomersDeleted, markCustomersMerged } from './mark-customers-deleted.ts'
export { findMemberRange } from './member-sections.ts'
export { MEMBER_REFS, membersOfFacts } from './members-of-facts.ts'
export { findCustomerWithPhone, phoneIn } from './phone-search.ts'
export type { Profile } from './profile.ts'
export { listProfilesToPush } from './push-profiles.ts'
export { listCustomers, lockMembers, type MembershipStatus } from './queries.ts'
export {
  type CustomerAccount,
  findUnknownCustomers,
  listAccounts,
  recordAddedTags,
  recordConsents,
  recordEnabledAccounts,
  recordTags
} from './report-customers.ts'
export { type CustomerReference, fetchCustomer, findKnownCustomers, resolveCustomer } from './resolve-customer.ts'
export { setMembershipStatuses } from './set-membership-status.ts'
export { enterBirthDates, isBirthDate, memberNotFound, updateMember } from './update-member.ts'
export { upsertCustomers } from './upsert-customers.ts'
