export {
  carryOut,
  movedTo,
  nothingDeclined,
  type Planned,
  PUSH_CONTRACT,
  planCancel,
  planEnd,
  planPause,
  planReactivate,
  planReschedule,
  planResume,
  planSkip,
  pushContracts,
  timesOf
} from './moves.ts'
export { isInBilling, isOver, isOverForGood } from './transitions.ts'
