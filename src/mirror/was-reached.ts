import { isAboutRequest, type PlatformFailure } from '#platform'

/**
 * Whether a refusal to take something back is the platform's last word: it does not have the owner any more, or we may not write there any
 * more, so that nobody but the shop can. Otherwise it was not reached.
 */
export const wasReached = (failure: PlatformFailure): boolean =>
  failure.kind === 'unauthorized' || isAboutRequest(failure)
