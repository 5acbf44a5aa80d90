export type {
  CopiedColumn,
  EndpointName,
  ExportEndpoint,
  Field,
  FieldFormat,
  FilterName,
  PagePlan,
  PageRequest,
  TopicName
} from './endpoint.ts'
export { endpointOf, endpoints } from './endpoints/all.ts'
export { planPage } from './plan-page.ts'
export { PARAMETERS, readPageRequest } from './read-page-request.ts'
