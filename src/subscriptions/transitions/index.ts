export {
  carryOut,
  movedTo,
  nothingDeclined,
  type Planned,
  planCancel,
  planEnd,
  planPause,
  planReactivate,
  planReschedule,
  planResume,
  planSkip,
  pushContractJob,
  pushContracts,
  timesOf
} from './moves.ts'
export { isInBilling, isOver, isOverForGood } from './transitions.ts'
