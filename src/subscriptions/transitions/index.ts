export {
  applyTransitions,
  noDeclines,
  planCancel,
  planContextOf,
  planEnd,
  planPause,
  planReactivate,
  planReschedule,
  planResume,
  planSkip,
  pushContractJob,
  pushContracts,
  rescheduledTo,
  type TransitionPlan
} from './transition-plans.ts'
export { isFinal, isInBilling, isOver } from './transitions.ts'
