import { isAboutRequest, type PlatformFailure } from '#platform'

/** Whether the platform has refused for good; not where somebody else has just changed the contract. */
export const isRefusal = (failure: PlatformFailure): boolean =>
  isAboutRequest(failure) && failure.code !== 'stale_contract'
