export { type CustomerTold, customerPayload, type KnownCustomer } from './customer.ts'
export { keepDeletedCustomers, type MergedCustomers, mergeCustomers } from './leave-customers.ts'
export { type CustomerSaid, lookUpCustomer, meetWhoIsMeant } from './look-up-customer.ts'
export { meetCustomers } from './meet-customers.ts'
export type { Profile } from './profile.ts'
export {
  listProfilesToPush,
  type PlatformProfile,
  type ProfilePushed,
  type ProfileToPush,
  settleProfiles
} from './push-profiles.ts'
export { insertMissingCustomers, listCustomers, lockMembers, type Standing } from './queries.ts'
export { setStandings } from './set-standings.ts'
export { memberNotFound, PUSH_CUSTOMER, updateMember } from './update-member.ts'
