export { findRequest, listRequests, takeExport } from './queries.ts'
export { receiveCompliance } from './receive-compliance.ts'
export { PRIVACY_STATUSES, PRIVACY_TOPICS, type PrivacyRequest } from './request.ts'
export { requestPrivacy } from './request-privacy.ts'
