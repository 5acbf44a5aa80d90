export type {
  CopiedColumn,
  EndpointName,
  Field,
  FieldFormat,
  FilterName,
  PagePlan,
  PageRequest,
  TopicName
} from './endpoint.ts'
