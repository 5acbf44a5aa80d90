export { type Cancellation, cancelSubscription } from './cancel-subscription.ts'
export { changeSubscription, type SubscriptionChange } from './change-subscription.ts'
export { endForDeletedCustomers, revokeGiftsToDeleted } from './end-for-deleted-customers.ts'
export { giftSubscription, revokeGift } from './gift-subscription.ts'
export { noteSubscription } from './note-subscription.ts'
export {
  assertCustomerMay,
  type CustomerActions,
  findOwnContract,
  listOwnContracts,
  type OwnContract
} from './own-contracts.ts'
export { pauseSubscription } from './pause-subscription.ts'
export type { RequestedChange } from './plan-change.ts'
export { type Action, type ActionPreview, previewAction } from './preview-action.ts'
export { reactivateSubscription } from './reactivate-subscription.ts'
export { requestChange } from './request-change.ts'
export { rescheduleSubscription } from './reschedule-subscription.ts'
export { restoreCadence } from './restore-cadence.ts'
export { resumeSubscription } from './resume-subscription.ts'
export { skipCycle } from './skip-cycle.ts'
