export { type ApiRequest, findApiRequest, listApiRequests } from './list-requests.ts'
export { pruneApiRequests } from './prune-requests.ts'
export { type AnsweredRequest, createRequestLog, type RequestLog } from './request-log.ts'
