export { createExportWorkers, type ExportWorkers, type ExportWorkersOptions } from './bytes/export-workers.ts'
export { ENCODINGS, type Encoding } from './bytes/messages.ts'
export { TooManyExports } from './bytes/refusals.ts'
export { createPageCache, type PageCache, type PageCacheOptions } from './cache/page-cache.ts'
export { exportsConsumer } from './changes/note-changes.ts'
export type {
  CopiedColumn,
  EndpointName,
  ExportEndpoint,
  Field,
  FieldFormat,
  FilterName,
  PagePlan,
  PageRequest,
  PlannedPage,
  TopicName,
  WantedPage
} from './endpoint.ts'
export { endpointOf, endpoints } from './endpoints/all.ts'
export { planPage } from './plan-page.ts'
export { PARAMETERS, readPageRequest } from './read-page-request.ts'
export { checkPullChange, type PullChange } from './rewards/pull/pull-settings.ts'
export { pullRewardBalancesNow } from './rewards/pull-now.ts'
export { type PushedBalance, pushRewardBalances } from './rewards/push-balances.ts'
export {
  findRewardIntegration,
  listRewardIntegrations,
  type RewardIntegration,
  removeRewardIntegration,
  setRewardIntegration
} from './rewards/reward-integrations.ts'
export { rowSchema } from './row-schema.ts'
export { planTopic } from './topics/plan-topic.ts'
export { type Topic, topics } from './topics/topics.ts'
